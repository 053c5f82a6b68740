import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import type { Engine } from '../engine/index.ts'
import { EngineError } from '../engine/shared/index.ts'
import { type AppOptions, createApp, type ServedEngine } from './app.ts'
import { commonsFailures } from './commons/errors.ts'
import type { StatusFacts } from './commons/system.ts'
import { type Config, doubtsOf } from './config.ts'
import type { App } from './http/compose.ts'
import { boundConnections } from './http/connections.ts'
import { answerFailure } from './http/failure.ts'
import { Inflow } from './http/inflow.ts'
import { createLog, type Log } from './http/log.ts'
import {
  createMetrics,
  type Metrics,
  type MetricsOptions,
  type MetricValues,
} from './http/metrics.ts'
import { NO_SNIFFING } from './http/observe.ts'
import { maxConnections, readOpenFilesLimit } from './http/open-files.ts'
import { answerUnparsed } from './http/unparsed.ts'
import { dropUnreadBodies } from './http/unread-body.ts'

interface ServerOptions {
  /** The engine. The caller closes it after the server. */
  readonly engine: ServedEngine & Pick<Engine, 'load' | 'releaseLoad' | 'workLoads'>
  readonly config: Config
  readonly status: StatusFacts
  readonly log?: Log
  /** Pools that run the engine's jobs, for monitoring. */
  readonly pools?: MetricsOptions['pools']
  /** The other processes of the service. Absent if this is the only process. */
  readonly siblings?: ServedSiblings | undefined
  readonly explorer?: AppOptions['explorer']
  /** Builds the application. Defaults to the whole service. */
  readonly makeApp?: ((options: AppOptions) => App) | undefined
}

/** Collects values from the other processes of a service. */
interface ServedSiblings {
  /** Whether enough processes accept connections for the service to be ready. */
  readonly areEnough: boolean
  gather(): Promise<readonly MetricValues[]>
}

export interface RunningServer {
  /** Metrics of this process. */
  readonly metrics: Metrics
  /** Address such as `http://127.0.0.1:8080`. */
  readonly address: string
  /**
   * Stops the server. It first reports not ready but accepts requests for the configured lead time. Then it
   * accepts no new connections, closes idle ones, and cuts off requests that are still running after the
   * configured time. All calls return the same promise.
   */
  close(): Promise<void>
}

/**
 * Starts listening. Resolves once requests are accepted.
 * @throws EngineError `unavailable` if the port is not available
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { engine, config, status, log = createLog(config), siblings, pools, makeApp } = options
  const { explorer } = options
  const stopping = new AbortController()
  const ready = () => !stopping.signal.aborted
  const gather = siblings && (() => siblings.gather())
  const metrics = createMetrics(engine, { gather, build: status, pools })
  const isComplete = () => siblings?.areEnough ?? true
  const inflow = new Inflow({ maxBytes: config.heldBodyBytes, turns: engine.shared?.turns })
  for (const doubt of doubtsOf(config)) log.warn(doubt)
  const app = (makeApp ?? createApp)({
    engine,
    config,
    log,
    metrics,
    status,
    inflow,
    ready,
    isComplete,
    explorer,
  })
  const listener = getRequestListener(app.fetch, {
    hostname: config.host,
    // The automatic clean-up would close the connection half a second after the response (unread-body.ts).
    autoCleanupIncoming: false,
    // Called only for requests that do not reach the application: their target or Host is not a valid URL.
    errorHandler: (cause) => {
      log.warn({ err: cause }, 'request refused')
      const error = new EngineError('bad_input', 'the request target or Host is not valid', {
        cause,
      })
      const answer = answerFailure(error, commonsFailures, { path: '', requestId: '' })
      answer.headers.set(...NO_SNIFFING)
      return answer
    },
  })
  const headersTimeout = config.headSeconds * 1000
  const keepAliveTimeout = config.idleSeconds * 1000
  const server = createServer(
    {
      maxHeaderSize: config.headerBytes,
      // Node's own response would not be JSON (host.ts).
      requireHostHeader: false,
      // An upload may take hours, so requests have no time limit. Readers of bodies drop stalled clients (body.ts).
      requestTimeout: 0,
      // If it were missing, Node would use the lower of its default and requestTimeout, which means no limit here.
      headersTimeout,
      keepAliveTimeout,
      connectionsCheckingInterval: Math.min(MAX_CHECK_MILLISECONDS, headersTimeout / 4),
    },
    listener,
  )
  answerUnparsed(server)
  dropUnreadBodies(server, {
    bodyRate: config.bodyRate,
    stallMilliseconds: config.stallSeconds * 1000,
  })
  const most = connectionsOf(config, log)
  boundConnections(server, inflow, {
    maxConnections: most,
    maxWaitMilliseconds: headersTimeout + keepAliveTimeout,
  })
  await listen(server, { ...config, backlog: backlogOf(most) })
  const address = addressOf(server)
  log.info({ address }, 'listening')
  let stopped: Promise<void> | undefined
  return {
    address,
    metrics,
    close() {
      stopping.abort()
      stopped ??= stop(server, config, log)
      return stopped
    },
  }
}

const MAX_CHECK_MILLISECONDS = 5000
/** Node's default. */
const MAX_BACKLOG = 511

/** Returns the maximum number of connections: as configured, or fewer if file descriptors are few. */
function connectionsOf({ connections }: Config, log: Log): number {
  const openFiles = readOpenFilesLimit()
  const most = Math.min(connections, maxConnections(openFiles))
  if (most < connections) {
    const advice = 'the system lets the service have few files open; raise the limit (ulimit -n)'
    log.warn({ openFiles, connections: most }, advice)
  }
  return most
}

/** Returns the backlog. All waiting connections are accepted at once, and each must get time to send its head. */
function backlogOf(connections: number): number {
  return Math.max(1, Math.min(MAX_BACKLOG, Math.floor(connections / 2)))
}

interface Listening extends Pick<Config, 'host' | 'port'> {
  /** Maximum number of connections waiting to be accepted. */
  readonly backlog: number
}

/** Reasons why a server cannot listen, with advice. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use; stop the other process or choose another port',
  EADDRNOTAVAIL: 'is none of this machine; choose another host',
  ENOTFOUND: 'is unknown; choose another host',
  EACCES: 'may not be used by this user; choose a port above 1023',
}

async function listen(server: Server, { host, port, backlog }: Listening): Promise<void> {
  server.listen({ port, host, backlog })
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    const { code = 'unknown reason' } = cause
    const reason = REASONS[code] ?? `cannot be had (${code}); choose another host or port`
    throw new EngineError('unavailable', `the address ${host}:${port} ${reason}`, { cause })
  })
}

function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

const IDLE_CHECK_MILLISECONDS = 100
/** Maximum number of turns of the event loop to wait on a server that keeps getting connections. */
const MAX_ACCEPTING_TURNS = 100

/** Accepts the waiting connections, which a closing listener would reset with their requests. */
async function acceptWaiting(server: Server): Promise<void> {
  let accepted = true
  const notice = () => {
    accepted = true
  }
  server.on('connection', notice)
  for (let turns = 0; accepted && turns < MAX_ACCEPTING_TURNS; turns++) {
    accepted = false
    // Continues after the connections of this turn of the event loop were accepted.
    await nextTurn()
  }
  server.off('connection', notice)
}

type Drain = Pick<Config, 'drainLeadSeconds' | 'drainSeconds'>

async function stop(server: Server, { drainLeadSeconds, drainSeconds }: Drain, log: Log) {
  log.info({ drainLeadSeconds, drainSeconds }, 'stopping')
  // A load balancer keeps sending requests until a probe tells it that the server is stopping.
  if (drainLeadSeconds > 0) {
    await sleep(drainLeadSeconds * 1000)
    await acceptWaiting(server)
  }
  await new Promise<void>((resolve) => {
    // Node closes idle connections only once, at this point. Connections that become idle later would delay the
    // stop until their keep-alive time is over.
    const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MILLISECONDS)
    const late = setTimeout(() => {
      log.warn('the time to finish is over; cutting off what still runs')
      server.closeAllConnections()
    }, drainSeconds * 1000)
    server.close(() => {
      clearInterval(idle)
      clearTimeout(late)
      resolve()
    })
  })
  log.info('stopped')
}
