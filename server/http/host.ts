import type { MiddlewareHandler } from 'hono'
import { EngineError } from '../../engine/shared/index.ts'
import type { AppEnv } from './exchange.ts'

/**
 * Rejects requests that different servers would interpret differently: without `Host` or with several (RFC
 * 9112 section 3.2), or of HTTP/0.9.
 */
export const requireHost: MiddlewareHandler<AppEnv> = (c, next) => {
  const incoming = (c.env as AppEnv['Bindings'] | undefined)?.incoming
  // A request in process has no head.
  if (!incoming) return next()
  const { httpVersionMajor: major, httpVersion: version, headersDistinct } = incoming
  if (major < 1) throw new EngineError('bad_input', `HTTP/${version} is not served; use HTTP/1.1`)
  const lines = headersDistinct.host?.length ?? 0
  if (lines > 1 || (lines === 0 && version !== '1.0')) {
    const message = `the request has ${lines} Host lines; send one`
    throw new EngineError('bad_input', message, { at: 'host' })
  }
  return next()
}
