import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { type Engine, EngineError } from '../engine/index.ts'
import { createApp, type ServedEngine } from './app.ts'
import { commonsFailures } from './commons/errors.ts'
import type { StatusFacts } from './commons/system.ts'
import type { Config } from './config.ts'
import { answerFailure } from './http/failure.ts'
import { createLog, type Log } from './http/log.ts'
import { createMetrics } from './http/metrics.ts'
import { answerUnparsed } from './http/refusal.ts'

export interface ServerOptions {
  /** Stays the caller's: close it after the server. */
  readonly engine: ServedEngine & Pick<Engine, 'load'>
  readonly config: Config
  readonly status: StatusFacts
  readonly log?: Log
}

export interface RunningServer {
  /** Such as `http://127.0.0.1:8080`. */
  readonly address: string
  /**
   * Stops: no new connections, idle ones closed, running requests may finish for the configured
   * time and are then cut off. Every call returns the same promise.
   */
  close(): Promise<void>
}

/**
 * Listens; resolves once requests are accepted.
 * @throws EngineError `unavailable` when the port cannot be had
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { engine, config, status, log = createLog(config) } = options
  const stopping = new AbortController()
  const ready = () => !stopping.signal.aborted
  const metrics = createMetrics(() => engine.load())
  const app = createApp({ engine, config, log, metrics, status, ready })
  const listener = getRequestListener(app.fetch, {
    hostname: config.host,
    // Reached only before a request has got into the app: a target or Host that is no URL.
    errorHandler: (cause) => {
      log.warn({ err: cause }, 'request refused')
      const error = new EngineError('bad_input', 'the request target or Host is not valid', {
        cause,
      })
      return answerFailure(error, commonsFailures, { path: '', requestId: '' })
    },
  })
  // Old clients send no Host, and Node's own refusal would not be JSON.
  const head = {
    maxHeaderSize: config.headerBytes,
    requireHostHeader: false,
    // An upload takes hours; who reads a body gives up a sender that stalls (body.ts).
    requestTimeout: 0,
  }
  const server = createServer(head, listener)
  answerUnparsed(server)
  await listen(server, config)
  const address = addressOf(server)
  log.info({ address }, 'listening')
  let stopped: Promise<void> | undefined
  return {
    address,
    close() {
      stopping.abort()
      stopped ??= stop(server, config.drainSeconds * 1000, log)
      return stopped
    },
  }
}

async function listen(server: Server, { host, port }: Config): Promise<void> {
  server.listen(port, host)
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    const reason =
      cause.code === 'EADDRINUSE'
        ? 'is in use; stop the other process or choose another port'
        : `cannot be had (${cause.code ?? 'unknown reason'})`
    throw new EngineError('unavailable', `the address ${host}:${port} ${reason}`, { cause })
  })
}

function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

const IDLE_CHECK_MILLISECONDS = 100

async function stop(server: Server, drainMilliseconds: number, log: Log): Promise<void> {
  log.info({ drainMilliseconds }, 'stopping')
  await new Promise<void>((resolve) => {
    // Node closes idle connections once, here; those that become idle later would hold the stop
    // up until their keep-alive time is over.
    const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MILLISECONDS)
    const late = setTimeout(() => {
      log.warn('the time to finish is over; cutting off what still runs')
      server.closeAllConnections()
    }, drainMilliseconds)
    server.close(() => {
      clearInterval(idle)
      clearTimeout(late)
      resolve()
    })
  })
  log.info('stopped')
}
