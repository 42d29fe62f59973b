// Builds web/static/dist from src/. `manifest.json` there ties every output to the sources it came from.

import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build } from "esbuild";

const root = path.dirname(fileURLToPath(import.meta.url));
const dist = path.join(root, "..", "static", "dist");
const SOURCES = ["build.mjs", "package.json", "package-lock.json", "src"];

async function files(entry) {
  const absolute = path.join(root, entry);
  const found = await readdir(absolute, { recursive: true, withFileTypes: true }).catch(() => null);
  if (!found) return [absolute];
  return found.filter((item) => item.isFile()).map((item) => path.join(item.parentPath, item.name));
}

async function digests(paths, base) {
  const named = await Promise.all(
    paths.map(async (file) => {
      const name = path.relative(base, file).split(path.sep).join("/");
      return [name, createHash("sha256").update(await readFile(file)).digest("hex")];
    }),
  );
  return Object.fromEntries(named.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The licences of the packages and fonts that went into the build, which their authors ask to be passed on. */
async function licences(inputs) {
  const packages = Object.keys(inputs).map((input) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]);
  const texts = [...new Set(packages.filter(Boolean))].sort().map(async (name) => {
    const folder = path.join(root, "node_modules", name);
    const { version, license } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    return `${name} ${version} (${license})\n\n${file ? (await readFile(path.join(folder, file), "utf8")).trim() : ""}\n`;
  });
  // Fonts, and what packages were compiled from.
  const others = ["fonts/jetbrains-mono-plain", "fonts/warpcourt-math", "formatter/llvm", "formatter/ruff"].map(
    async (name) => `${path.basename(name)}\n\n${(await readFile(path.join(root, "src", `${name}.licence.txt`), "utf8")).trim()}\n`,
  );
  return (await Promise.all([...texts, ...others])).join(`\n${"-".repeat(80)}\n\n`);
}

/** Write each text file again as .br and .gz, and each WebAssembly module as .br, which the server sends to browsers that take them. */
async function compress() {
  for (const file of (await readdir(dist, { recursive: true })).filter((name) => /\.(js|css|svg|wasm)$/.test(name))) {
    const content = await readFile(path.join(dist, file));
    if (content.length < 400) continue;
    const brotli = await promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length } });
    await writeFile(path.join(dist, `${file}.br`), brotli);
    if (file.endsWith(".wasm")) continue; // large, and browsers take Brotli over https
    await writeFile(path.join(dist, `${file}.gz`), await promisify(gzip)(content, { level: 9 }));
  }
}

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
const { metafile } = await build({
  metafile: true,
  absWorkingDir: root,
  entryPoints: { site: "src/site.js", styles: "src/site.css", formatter: "src/formatter/worker.js" },
  outdir: dist,
  bundle: true,
  splitting: true,
  format: "esm",
  target: ["es2022", "chrome123", "firefox120", "safari17.5"],
  minify: true,
  legalComments: "none",
  chunkNames: "chunks/[name]-[hash]",
  assetNames: "assets/[name]-[hash]",
  loader: { ".woff2": "file", ".svg": "file", ".wasm": "file" },
  logLevel: "warning",
});
// A classic script, to run before the first paint; modules run after it.
await build({
  absWorkingDir: root,
  entryPoints: { early: "src/early.js" },
  outdir: dist,
  bundle: true,
  format: "iife",
  target: ["es2022"],
  minify: true,
  logLevel: "warning",
});
await writeFile(path.join(dist, "licences.txt"), await licences(metafile.inputs));
await cp(path.join(root, "src/icons/icons.svg"), path.join(dist, "icons.svg"));
await cp(path.join(root, "src/icons/favicon.svg"), path.join(dist, "favicon.svg"));

await compress();

const sources = (await Promise.all(SOURCES.map(files))).flat();
const outputs = (await readdir(dist, { recursive: true, withFileTypes: true }))
  .filter((item) => item.isFile())
  .map((item) => path.join(item.parentPath, item.name));
const manifest = { sources: await digests(sources, root), outputs: await digests(outputs, dist) };
await writeFile(path.join(dist, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
