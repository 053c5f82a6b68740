import { syncBuiltinESMExports } from 'node:module'
import zlib from 'node:zlib'

/**
 * Has all that is made by zlib in this thread, by libraries too, be made within a section. Node ends the
 * whole process when it ends a thread between the making of a stream of zlib and its first step
 * (`close before init` in its node_zlib.cc), which jobs that inflate are in again and again.
 *
 * @param section runs what must not be broken off
 */
export function makeZlibWhole(section: <Output>(run: () => Output) => Output): void {
  const handler: ProxyHandler<(...given: unknown[]) => unknown> = {
    apply: (target, self, given) => section(() => Reflect.apply(target, self, given)),
    construct: (target, given, type) => section(() => Reflect.construct(target, given, type)),
  }
  for (const [name, value] of Object.entries<unknown>(zlib)) {
    if (typeof value !== 'function' || name === 'crc32') continue
    const made = value as (...given: unknown[]) => unknown
    Object.defineProperty(zlib, name, { value: new Proxy(made, handler) })
  }
  // What was imported by name is replaced as well.
  syncBuiltinESMExports()
}
