import { execFile } from 'node:child_process'
import { copyFile, link, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { madeOnce } from '../made-once.ts'

const MAKER = join(import.meta.dirname, 'make-demo.ts')

/** The folder with a demo in `data`, and the steps of making it in `steps`. */
const madeDemo = () =>
  madeOnce('demo', async (making) => {
    const words = [MAKER, join(making, 'data')]
    const { stdout } = await promisify(execFile)(process.execPath, words)
    await writeFile(join(making, 'steps'), stdout)
  })

/** The steps that making the demo prints. */
export async function demoSteps(): Promise<readonly string[]> {
  return (await readFile(join(await madeDemo(), 'steps'), 'utf8')).trimEnd().split('\n')
}

/**
 * Puts a demo into a folder that is not there yet. The first who asks for one in a run makes it, which takes ten
 * seconds. Stored bytes are links: nothing ever writes into them, and what is known of them by their inodes
 * holds for the copy, too.
 */
export async function copyDemo(folder: string): Promise<void> {
  const made = join(await madeDemo(), 'data')
  await mkdir(folder)
  for (const entry of await readdir(made, { recursive: true, withFileTypes: true })) {
    const from = join(entry.parentPath, entry.name)
    const to = join(folder, relative(made, from))
    if (entry.isDirectory()) await mkdir(to, { recursive: true })
    else if (entry.name.includes('.sqlite')) await copyFile(from, to)
    else await link(from, to)
  }
}
