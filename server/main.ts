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
import type { Config } from './config.ts'
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

export interface ServerOptions {
  /** Stays the caller's: close it after the server. */
  readonly engine: ServedEngine &
    Pick<Engine, 'load' | 'releaseLoad' | 'workLoads'> & {
      /** What requests do shares turns of the event loop with what the engine does for them. */
      readonly shared?: Pick<Engine['shared'], 'turns'>
    }
  readonly config: Config
  readonly status: StatusFacts
  readonly log?: Log
  /** What runs the engine's jobs, for monitoring. */
  readonly pools?: MetricsOptions['pools']
  /** The other processes of the service, where it has several. */
  readonly siblings?: ServedSiblings | undefined
  readonly explorer?: AppOptions['explorer']
  /** What is served; by default all of the service. */
  readonly makeApp?: ((options: AppOptions) => App) | undefined
}

/** What is asked of the other processes of a service. */
export interface ServedSiblings {
  /** Whether so many processes accept connections that the service is ready. */
  readonly areEnough: boolean
  gather(): Promise<readonly MetricValues[]>
}

export interface RunningServer {
  /** Numbers of this process. */
  readonly metrics: Metrics
  /** Such as `http://127.0.0.1:8080`. */
  readonly address: string
  /**
   * Stops: is no longer ready, but takes requests for the configured lead. Then no new connections,
   * idle ones closed, running requests may finish for the configured time and are then cut off.
   * Every call returns the same promise.
   */
  close(): Promise<void>
}

/**
 * Listens; resolves once requests are accepted.
 * @throws EngineError `unavailable` when the port cannot be had
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
    // It would end the connection half a second behind the answer (unread-body.ts).
    autoCleanupIncoming: false,
    // Reached only before a request has got into the app: a target or Host that is no URL.
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
      // Node's own answer would not be JSON (host.ts).
      requireHostHeader: false,
      // An upload takes hours; who reads a body gives up a sender that stalls (body.ts).
      requestTimeout: 0,
      // Without it, Node would take the shorter of it and the time above: none.
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
/** As Node has it. */
const MAX_BACKLOG = 511

/** As many connections as are wished for, if there are descriptors for them and for files. */
function connectionsOf({ connections }: Config, log: Log): number {
  const openFiles = readOpenFilesLimit()
  const most = Math.min(connections, maxConnections(openFiles))
  if (most < connections) {
    const advice = 'the system lets the service have few files open; raise the limit (ulimit -n)'
    log.warn({ openFiles, connections: most }, advice)
  }
  return most
}

/** Those that wait to be accepted are accepted at once: each must get a turn to send its head. */
function backlogOf(connections: number): number {
  return Math.max(1, Math.min(MAX_BACKLOG, Math.floor(connections / 2)))
}

interface Listening extends Pick<Config, 'host' | 'port'> {
  /** Connections that may wait to be accepted. */
  readonly backlog: number
}

/** Why a server cannot listen, and what to do. */
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
/** Turns of the event loop, for a server that is asked without a pause. */
const MAX_ACCEPTING_TURNS = 100

/** Accepts the connections that wait: those that a listener leaves when it closes are reset, with their requests. */
async function acceptWaiting(server: Server): Promise<void> {
  let accepted = true
  const notice = () => {
    accepted = true
  }
  server.on('connection', notice)
  for (let turns = 0; accepted && turns < MAX_ACCEPTING_TURNS; turns++) {
    accepted = false
    // Behind the accepting of this turn.
    await nextTurn()
  }
  server.off('connection', notice)
}

type Drain = Pick<Config, 'drainLeadSeconds' | 'drainSeconds'>

async function stop(server: Server, { drainLeadSeconds, drainSeconds }: Drain, log: Log) {
  log.info({ drainLeadSeconds, drainSeconds }, 'stopping')
  // A balancer learns of it from a probe, and until then sends requests here.
  if (drainLeadSeconds > 0) {
    await sleep(drainLeadSeconds * 1000)
    await acceptWaiting(server)
  }
  await new Promise<void>((resolve) => {
    // Node closes idle connections once, here; those that become idle later would hold the stop
    // up until their keep-alive time is over.
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
