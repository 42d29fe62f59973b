function t(e){let n=document.getElementById("announcer");n.textContent="",requestAnimationFrame(()=>n.textContent=e.replace(/\s+/g," ").trim())}export{t as a};
