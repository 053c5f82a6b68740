import { syncBuiltinESMExports } from 'node:module'
import zlib from 'node:zlib'

/**
 * Runs each call of zlib in this thread, those of libraries too, in a critical section. Node aborts the
 * whole process when a thread is terminated between the constructor of a zlib stream and its
 * initialization (`close before init` in its node_zlib.cc), where a job that inflates is again and again.
 *
 * @param section runs what must not be terminated
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
  // Modules that import them by name get these as well.
  syncBuiltinESMExports()
}
