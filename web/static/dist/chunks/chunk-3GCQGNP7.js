function i(a,l){let e=!1,n=!1;return async function f(){if(e){n=!0;return}e=!0;let t=await a().catch(()=>null);e=!1,n?(n=!1,await f()):t!==null&&l(t)}}export{i as a};
