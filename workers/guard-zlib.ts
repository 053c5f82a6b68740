import { syncBuiltinESMExports } from 'node:module'
import zlib from 'node:zlib'

/**
 * Wraps all zlib calls of this thread, including those of libraries, in a critical section. Node aborts the
 * whole process if a thread is terminated between the construction of a zlib stream and its initialization
 * (`close before init` in node_zlib.cc), and jobs that inflate data are often between the two.
 * @param section runs a function that must not be terminated
 */
export function guardZlib(section: <Output>(run: () => Output) => Output): void {
  const handler: ProxyHandler<(...given: unknown[]) => unknown> = {
    apply: (target, self, given) => section(() => Reflect.apply(target, self, given)),
    construct: (target, given, type) => section(() => Reflect.construct(target, given, type)),
  }
  for (const [name, value] of Object.entries<unknown>(zlib)) {
    if (typeof value !== 'function' || name === 'crc32') continue
    const original = value as (...given: unknown[]) => unknown
    Object.defineProperty(zlib, name, { value: new Proxy(original, handler) })
  }
  // Makes the wrappers visible to modules that import zlib functions by name.
  syncBuiltinESMExports()
}
