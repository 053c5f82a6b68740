import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Inflater } from '../engine/shared/formats/inflater.ts'

const at = (path: string) => join(import.meta.dirname, '..', path)

/** The compiled kernel of a package. */
const PACKED = at('kernels/inflate.wasm')
const COMPILER = at('tools/kernels/compile.ts')
/** Everything that a compiled kernel depends on. */
const SOURCES = [at('kernels/inflate.ts'), COMPILER, at('package-lock.json')]
const CACHE = at('node_modules/.cache/casemill/kernels')

/** Time limit of the compiler. It takes four seconds, or longer on a busy machine. */
const MAX_MILLISECONDS = 300_000

/** Returns where the compiled kernel is, or will be. In a checkout that depends on its sources. */
function kernelPath(): string {
  if (existsSync(PACKED)) return PACKED
  const hash = createHash('sha256')
  for (const path of SOURCES) hash.update(readFileSync(path)).update('\0')
  return join(CACHE, `${hash.digest('hex').slice(0, 32)}.wasm`)
}

/**
 * Compiles the kernel of a checkout unless that was done before, in a separate process. Threads use it from
 * their next job on.
 * @throws Error if it cannot be compiled; blocks are then inflated by zlib
 */
export async function makeKernel(signal?: AbortSignal): Promise<void> {
  const path = kernelPath()
  if (existsSync(path)) return
  const options = { timeout: MAX_MILLISECONDS, ...(signal && { signal }) }
  await promisify(execFile)(process.execPath, [COMPILER, path], options)
}

/** Returns a function that returns the inflater of a thread as soon as its kernel is compiled. */
export function findInflater(): () => Inflater | undefined {
  const path = kernelPath()
  let inflater: Inflater | undefined
  return () => {
    if (!inflater && existsSync(path)) inflater = new Inflater(readFileSync(path))
    return inflater
  }
}
