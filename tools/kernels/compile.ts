import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

// Compiles the kernel to WebAssembly, into the file that is given.
//
//     node tools/kernels/compile.ts dist/kernels/inflate.wasm
//
// The file appears whole or not at all.

const ROOT = join(import.meta.dirname, '..', '..')
const COMPILER = join(ROOT, 'node_modules', 'assemblyscript', 'bin', 'asc.js')
const SOURCE = join('kernels', 'inflate.ts')

/** Nothing of the language's own runtime is needed: the memory has fixed places. */
const OPTIONS = [
  '-O3',
  '--noAssert',
  '--runtime',
  'stub',
  '--initialMemory',
  '8',
  '--use',
  'abort=',
]

async function compileKernel(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const folder = await mkdtemp(`${path}-`)
  try {
    const made = join(folder, 'kernel.wasm')
    const words = [COMPILER, SOURCE, '--outFile', made, ...OPTIONS, '--enable', 'simd']
    await promisify(execFile)(process.execPath, words, { cwd: ROOT })
    await rename(made, path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const [path] = process.argv.slice(2)
if (path === undefined) throw new Error('give the file that is to be made')
await compileKernel(path)
