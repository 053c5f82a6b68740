import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Kernels } from '../engine/shared/executor.ts'
import { Inflater } from '../engine/shared/formats/inflater.ts'
import { type WasmInterface, type WasmModule, webAssembly } from '../engine/shared/web-assembly.ts'

const at = (path: string) => join(import.meta.dirname, '..', path)

type KernelName = 'inflate' | 'rows'
const KERNEL_NAMES: readonly KernelName[] = ['inflate', 'rows']

const COMPILER = at('tools/kernels/compile.ts')
const CACHE = at('node_modules/.cache/casemill/kernels')

/** Time limit of the compiler in milliseconds. It takes a few seconds, or longer on a busy machine. */
const MAX_MILLISECONDS = 300_000

/** Returns the path of a compiled kernel, which may not exist yet. In a checkout, the path depends on the sources. */
function kernelPath(name: KernelName): string {
  const packed = at(`kernels/${name}.wasm`)
  if (existsSync(packed)) return packed
  const hash = createHash('sha256')
  for (const path of [at(`kernels/${name}.ts`), COMPILER, at('package-lock.json')]) {
    hash.update(readFileSync(path)).update('\0')
  }
  return join(CACHE, `${hash.digest('hex').slice(0, 32)}.wasm`)
}

/**
 * Compiles the kernels of a checkout in separate processes, unless they are already compiled. Threads use a
 * kernel from their next job on.
 * @throws Error if a kernel cannot be compiled; then zlib inflates, and JavaScript writes rows
 */
export async function makeKernels(signal?: AbortSignal): Promise<void> {
  for (const name of KERNEL_NAMES) {
    const path = kernelPath(name)
    if (existsSync(path)) continue
    const options = { timeout: MAX_MILLISECONDS, ...(signal && { signal }) }
    await promisify(execFile)(process.execPath, [COMPILER, name, path], options)
  }
}

/** The kernels that a thread uses. Each is loaded at the first use after it has been compiled. */
export class ThreadKernels implements Kernels {
  readonly #paths = { inflate: kernelPath('inflate'), rows: kernelPath('rows') }
  readonly #unusable = new Set<KernelName>()
  #inflater: Inflater | undefined
  #rows: WasmModule | undefined

  get inflater(): Inflater | undefined {
    this.#inflater ??= this.#made('inflate', (compiled, { Instance }) => {
      return new Inflater(new Instance(compiled).exports)
    })
    return this.#inflater
  }

  get rows(): WasmModule | undefined {
    this.#rows ??= this.#made('rows', (compiled) => compiled)
    return this.#rows
  }

  /**
   * Loads a kernel and passes it to `make`. Returns undefined if that fails; zlib or TypeScript then does the
   * work.
   */
  #made<T>(
    name: KernelName,
    make: (compiled: WasmModule, wasm: WasmInterface) => T,
  ): T | undefined {
    const wasm = webAssembly()
    const path = this.#paths[name]
    if (!wasm || this.#unusable.has(name) || !existsSync(path)) return undefined
    try {
      return make(new wasm.Module(readFileSync(path)), wasm)
    } catch {
      // The processor may lack the required instructions, or the file may be unreadable.
      this.#unusable.add(name)
      return undefined
    }
  }
}
