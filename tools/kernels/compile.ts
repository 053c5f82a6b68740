import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

// Compiles a kernel to WebAssembly, into the file that is given.
//
//     node tools/kernels/compile.ts inflate dist/kernels/inflate.wasm
//
// The file appears whole or not at all.

const ROOT = join(import.meta.dirname, '..', '..')
const COMPILER = join(ROOT, 'node_modules', 'assemblyscript', 'bin', 'asc.js')

/** Nothing of the language's own runtime is needed: the memory has fixed places. */
const OPTIONS = '-O3 --noAssert --runtime stub --use abort= --enable simd'

/** Memory of each kernel: its own, or that of a release, which all threads share. */
const MEMORY: Readonly<Record<string, string>> = {
  inflate: '--initialMemory 8',
  rows: '--importMemory --sharedMemory --initialMemory 1 --maximumMemory 65536 --enable threads',
}

async function compileKernel(name: string, path: string): Promise<void> {
  const memory = MEMORY[name]
  if (memory === undefined) throw new Error(`kernels are ${Object.keys(MEMORY).join(', ')}`)
  await mkdir(dirname(path), { recursive: true })
  const folder = await mkdtemp(`${path}-`)
  try {
    const made = join(folder, 'kernel.wasm')
    const source = join('kernels', `${name}.ts`)
    const words = [COMPILER, source, '--outFile', made, ...`${OPTIONS} ${memory}`.split(' ')]
    await promisify(execFile)(process.execPath, words, { cwd: ROOT })
    await rename(made, path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const [name, path] = process.argv.slice(2)
if (name === undefined || path === undefined) {
  throw new Error('give the name of the kernel and the file that is to be made')
}
await compileKernel(name, path)
