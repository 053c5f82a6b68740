import type { PublishedRecord } from '../../../engine/registry/publishing/answers.ts'
import { PublishingArea } from '../../../engine/registry/publishing/publishing-area.ts'
import { PublishingRepository } from '../../../engine/registry/publishing/repository.ts'
import {
  callerOf,
  MADE,
  type MadeContent,
} from '../../../engine/registry/publishing/support/made-area.ts'
import type { Caller } from '../../../engine/shared/access/roles.ts'
import type { Database } from '../../../engine/shared/database/database.ts'
import { EngineError } from '../../../engine/shared/errors.ts'
import type { AtRevision, HeldRevisions } from '../../../engine/shared/revision.ts'
import {
  type Command,
  type EditCommand,
  type Held,
  IDS,
  isEdit,
  type ReadCommand,
  type Who,
} from './publishing-commands.ts'
import type { Outcome } from './publishing-model.ts'

const CALLERS: Readonly<Record<Who, Caller>> = {
  editor: callerOf('RX_EDITOR'),
  reader: callerOf(),
  other: callerOf('GLOSSARY_EDITOR'),
}

type Area = PublishingArea<MadeContent>

/** An area controlled by commands; its answers are like the model's, except for revisions and scores. */
export class PublishingWorld {
  readonly #area: Area
  readonly #repository: PublishingRepository
  now = new Date(0)
  /** Revisions of records in development that editors have seen; the last is the newest. */
  readonly #seen = new Map<string, number[]>()
  readonly #fingerprints = new Map<string, string>()
  readonly #contents = new Map<string, string>()

  constructor(state: Database) {
    let made = 0
    this.#repository = new PublishingRepository(state, 'rx')
    this.#area = new PublishingArea({
      state,
      definition: MADE,
      clock: () => this.now,
      newId: () => `made-${++made}`,
    })
  }

  async apply(command: Command): Promise<Outcome> {
    try {
      const value = await this.#answer(command)
      return value === undefined ? {} : { value: this.#plain(value) }
    } catch (error) {
      if (error instanceof EngineError) return { failure: error.code }
      throw error
    }
  }

  /** The records whose revision has changed since the last call. */
  async restamped(): Promise<Set<string>> {
    const restamped = new Set<string>()
    for (const id of IDS) {
      const now = (await this.#repository.item('development', id))?.revision
      const seen = this.#seen.get(id) ?? []
      if (now === undefined || now === seen.at(-1)) continue
      if (seen.some((revision) => revision >= now)) throw new Error(`"${id}" went back to ${now}`)
      this.#seen.set(id, [...seen, now])
      restamped.add(id)
    }
    return restamped
  }

  #held(held: Held, ids: readonly string[]): HeldRevisions | undefined {
    if (held === undefined || held === 'any') return held
    const seen = ids.map((id) => this.#seen.get(id) ?? [])
    if (held === 'current') return seen.map((revisions) => String(revisions.at(-1)))
    return seen.flatMap((revisions) => ['0', ...revisions.slice(0, -1).map(String)])
  }

  #answer(command: Command): Promise<unknown> {
    return isEdit(command) ? this.#edit(command) : this.#read(command)
  }

  async #edit(command: EditCommand): Promise<unknown> {
    const area = this.#area
    if ('bodies' in command) {
      const { bodies, publish, dryRun } = command
      return area.load(bodies, { user: 'loader', description: 'loaded', publish, dryRun })
    }
    const caller = CALLERS[command.who]
    if ('name' in command) return area[command.kind](caller, command.name)
    const { version } = command
    if ('body' in command) {
      const { body, kind } = command
      if (kind === 'create') return this.#proved(await area.create(caller, version, body))
      const ids = kind === 'publish' ? (body.ids as readonly string[]) : [String(body.id)]
      const request = { held: this.#held(command.held, ids) }
      if (kind === 'publish') return area.publish(caller, version, body, request)
      return this.#proved(await area.update(caller, version, body, request))
    }
    const { kind, id, description } = command
    await area[kind](caller, version, id, { held: this.#held(command.held, [id]), description })
    return undefined
  }

  async #read(command: ReadCommand): Promise<unknown> {
    const area = this.#area
    const caller = CALLERS[command.who]
    if (command.kind === 'versions') return area.versions(caller)
    const { version } = command
    switch (command.kind) {
      case 'record':
        return this.#proved(await area.record(caller, version, command.id))
      case 'search':
        return area.search(caller, version, command.request)
      case 'changelog':
        return area.changelog(caller, version, command.request)
      case 'keywords':
        return area.keywords(caller, version, command)
      case 'statusSummary':
        return area.statusSummary(caller, version)
      case 'contents':
        return collected((await area.contents(caller, version)).items)
      case 'matching':
        return area.matching(caller, version, { tags: [command.tag] })
    }
  }

  /** Removes fingerprints, and scores after checking that they descend: ranked results are ordered by id. */
  #plain(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#plain(one))
    if (typeof value !== 'object' || value === null) return value
    const {
      fingerprint: _mark,
      score: _score,
      max_score,
      ...rest
    } = value as Record<string, unknown>
    const plain = Object.fromEntries(
      Object.entries(rest).map(([name, member]) => [name, this.#plain(member)]),
    )
    if (max_score !== undefined) return this.#unranked(value as Record<string, unknown>, plain)
    return plain
  }

  #unranked(ranked: Record<string, unknown>, plain: Record<string, unknown>) {
    const { max_score, order } = ranked
    const results = (ranked.results ?? []) as readonly { readonly score: number }[]
    const scores = results.map(({ score }) => score)
    const isProved =
      scores.every((score) => score > 0 && score <= (max_score as number)) &&
      (order !== undefined || scores.every((score, i) => score <= (scores[i - 1] ?? score)))
    if (!isProved) throw new Error(`scores are ${scores} of ${max_score}`)
    if (order !== undefined || !plain.results) return plain
    const byId = (plain.results as readonly { readonly id: string }[]).toSorted((a, b) =>
      a.id < b.id ? -1 : 1,
    )
    return { ...plain, results: byId }
  }

  /** Checks that equal contents have equal fingerprints, and different contents different ones. */
  #proved({ record }: AtRevision<PublishedRecord<MadeContent>>) {
    const { name, type, text, tags, fingerprint } = record
    const content = JSON.stringify({ name, type, text, tags })
    const [before = fingerprint, owner = content] = [
      ...[this.#fingerprints.get(content), this.#contents.get(fingerprint)],
    ]
    if (before !== fingerprint || owner !== content) throw new Error(`fingerprint of ${content}`)
    this.#fingerprints.set(content, fingerprint)
    this.#contents.set(fingerprint, content)
    return record
  }
}

async function collected<T>(all: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const one of all) found.push(one)
  return found
}
