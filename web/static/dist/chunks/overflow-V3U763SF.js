import"./chunk-VC46IEJQ.js";function e(o){for(let t of o.querySelectorAll("div.math, .formula, pre, table"))t.scrollWidth>t.clientWidth&&(t.tabIndex=0)}export{e as mount};
