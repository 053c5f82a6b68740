import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { type OutputChunk, rolldown } from 'rolldown'

// Makes the scripts and styles of the explorer that browsers load, into the folder that is given.
//
//     node tools/explorer/bundle.ts explorer dist/explorer
//
// The folder appears whole or not at all, with `bundle.json` in it, which lists its parts.

/** Modules that every page needs, and those of the first page. */
const FIRST =
  /preact|explorer\/(address|cohort|filter|frame|search\/search-box|service)\/|explorer\/pages\/home|explorer\/parts\/(answered|bar-chart|error-text|failed-note|figure|link|marks|notes|save|table|tsv|use-task|use-typed)\.tsx?$/

/** @param folder - is made; one that is there already is left as it is */
async function bundleExplorer(sources: string, folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true })
  const making = await mkdtemp(`${folder}-`)
  try {
    const bundle = await rolldown({
      input: { main: join(sources, 'main.tsx') },
      platform: 'browser',
      tsconfig: join(sources, 'tsconfig.json'),
      transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    })
    const { output } = await bundle.write({
      dir: making,
      format: 'esm',
      minify: true,
      entryFileNames: '[name]-[hash].js',
      chunkFileNames: '[name]-[hash].js',
      // What the first page needs is one part, so that it takes few requests.
      advancedChunks: { groups: [{ name: 'first', test: FIRST }] },
    })
    await bundle.close()
    const chunks = output.filter((part): part is OutputChunk => part.type === 'chunk')
    const script = chunks.find((chunk) => chunk.isEntry)?.fileName
    const styles = await readFile(join(sources, 'style.css'))
    const hash = createHash('sha256').update(styles).digest('base64url').slice(0, 8)
    const style = `style-${hash}.css`
    await writeFile(join(making, style), styles)
    const facts = { script, style, parts: [...chunks.map((chunk) => chunk.fileName), style] }
    await writeFile(join(making, 'bundle.json'), `${JSON.stringify(facts, undefined, 2)}\n`)
    await rename(making, folder)
  } catch (cause) {
    await rm(making, { recursive: true, force: true })
    // Somebody else was faster: what they made is the same.
    const made = await readdir(dirname(folder)).catch((): string[] => [])
    if (!made.includes(basename(folder))) throw cause
  }
}

const [sources, folder] = process.argv.slice(2)
if (sources === undefined || folder === undefined) {
  throw new Error('give the folder of the sources and the one that is to be made')
}
await bundleExplorer(resolve(sources), resolve(folder))
