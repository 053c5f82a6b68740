import type { Shared } from '../../engine/shared/index.ts'
import type { Config } from '../config.ts'
import { clientAddress } from './client-address.ts'
import { type AppContext, exchangeOf, incomingOf } from './exchange.ts'
import type { Log } from './log.ts'

/** The parts of the engine that collect what is granted, and record it. */
export type RecordingEngine = Pick<Shared, 'audit' | 'grants'>

type RecorderConfig = Pick<Config, 'auditAddress' | 'trustedProxies'>

type Collected = Parameters<Parameters<Shared['grants']['collect']>[0]>[0]

/** Records each answer with controlled data before its first byte is sent. */
export class Recorder {
  readonly #engine: RecordingEngine
  readonly #config: RecorderConfig
  readonly #log: Pick<Log, 'error'>

  constructor(engine: RecordingEngine, config: RecorderConfig, log: Pick<Log, 'error'>) {
    this.#engine = engine
    this.#config = config
    this.#log = log
  }

  /**
   * Runs the handler of a request and collects what the engine grants meanwhile. The exchange then records it
   * before the head of the answer is written.
   */
  run<Result>(c: AppContext, act: () => Promise<Result>): Promise<Result> {
    const { audit, grants } = this.#engine
    if (!audit) return act()
    return grants.collect((collected) => {
      const exchange = exchangeOf(c)
      exchange.granted = (grant) => grants.add(grant)
      exchange.record = (status, bytes) => this.#record(c, collected, { status, bytes })
      return act()
    })
  }

  /** @throws EngineError `unavailable` or `busy` if the line cannot be made durable; then nothing may be sent */
  async #record(
    c: AppContext,
    { grants, seal }: Collected,
    { status, bytes }: { readonly status: number; readonly bytes: number | undefined },
  ): Promise<void> {
    const { audit } = this.#engine
    seal()
    if (!audit || grants.length === 0 || !hasData(c.req.method, status, grants)) return
    const idsOf = (kind: 'files' | 'cases' | 'projects') =>
      new Set(grants.flatMap((grant) => grant[kind] ?? []))
    const transaction = grants.find((grant) => grant.transaction !== undefined)?.transaction
    const principal = grants.find((grant) => grant.principal)?.principal
    const { requestId, route } = exchangeOf(c)
    const action = `${c.req.method} ${route}`
    const credential = principal?.credential ?? null
    const recorded = audit.answer(
      {
        request: requestId,
        action,
        subject: principal?.user ?? null,
        credential,
        ...(this.#config.auditAddress === true && { address: this.#addressOf(c) }),
        release: grants.find(({ release }) => release)?.release ?? null,
        status,
        bytes: bytes ?? null,
        ...(transaction !== undefined && { transaction }),
      },
      {
        files: idsOf('files'),
        cases: idsOf('cases'),
        projects: idsOf('projects'),
        entities: entitiesOf(grants),
      },
    )
    if (!grants.every(({ isRevocation }) => isRevocation)) return recorded
    // A token that may be stolen has ended, and a full disk must not make its owner believe otherwise.
    return recorded.catch((err: unknown) => {
      const message = 'a revocation is not in the audit record'
      this.#log.error({ requestId, action, credential, err }, message)
    })
  }

  #addressOf(c: AppContext): string {
    return clientAddress({
      socket: incomingOf(c)?.socket.remoteAddress,
      forwarded: c.req.header('x-forwarded-for'),
      trustedProxies: this.#config.trustedProxies,
    })
  }
}

/** Returns the entities of all grants: the list of the only grant that has any, or their ids. */
function entitiesOf(grants: Collected['grants']) {
  const given = grants.flatMap(({ entities }) => (entities ? [entities()] : []))
  const [first = []] = given
  return given.length <= 1 ? first : allOf(given)
}

type Entities = ReturnType<NonNullable<Collected['grants'][number]['entities']>>

function* allOf(given: readonly Entities[]): Generator<string> {
  for (const ids of given) {
    if ('count' in ids) throw new Error('a list of entities is granted together with others')
    yield* ids
  }
}

/**
 * Returns whether an answer has data: not to HEAD, not for an error, and not if the client has it already. A change
 * counts like data, whatever the method: a log-in sends its session in the head.
 */
function hasData(method: string, status: number, grants: Collected['grants']): boolean {
  if (status < 400 && grants.some(({ isChange }) => isChange)) return true
  if (method === 'HEAD' || status === 304) return false
  return status < 400 || grants.some(({ withErrors }) => withErrors)
}
