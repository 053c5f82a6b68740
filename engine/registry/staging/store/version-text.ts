import type { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import type { StagingSchema, StagingTable, VersionContent } from '../algorithm/model.ts'
import type { LoadedVersion } from './loaded-version.ts'

/** A version at one revision, as text that threads share without copying. */
export interface VersionText {
  /** Unique for each revision of each version. */
  readonly key: string
  /** UTF-8 JSON in shared memory. */
  readonly bytes: Uint8Array<SharedArrayBuffer>
}

interface Written {
  readonly algorithm: string
  readonly version: string
  readonly schemas: readonly StagingSchema[]
  readonly tables: readonly StagingTable[]
}

/** Texts for people, which make up half of a version and do not affect staging. */
const UNREAD = [
  'title',
  'subtitle',
  'description',
  'notes',
  'last_modified',
  'rationale',
  'additional_info',
  'coding_guidelines',
  'footnotes',
] as const

/** Serialized versions, each created once and cached as long as the version itself. */
export class VersionTexts {
  readonly #turns: LoopTurns
  readonly #made = new WeakMap<LoadedVersion, Promise<VersionText>>()

  constructor(turns: LoopTurns) {
    this.#turns = turns
  }

  of(loaded: LoadedVersion): Promise<VersionText> {
    const known = this.#made.get(loaded)
    if (known) return known
    const made = this.#turns.run(writeVersion(loaded))
    this.#made.set(loaded, made)
    return made
  }
}

function* writeVersion({ name, revision, content }: LoadedVersion) {
  const { algorithm, version } = name
  const lists: string[] = []
  for (const entities of [content.schemas, content.tables]) {
    const texts: string[] = []
    for (const entity of entities.values()) {
      texts.push(JSON.stringify(withoutUnread(entity)))
      yield
    }
    lists.push(texts.join())
  }
  const head = JSON.stringify({ algorithm, version }).slice(0, -1)
  const text = `${head},"schemas":[${lists[0]}],"tables":[${lists[1]}]}`
  const bytes = new Uint8Array(new SharedArrayBuffer(Buffer.byteLength(text)))
  Buffer.from(bytes.buffer).write(text)
  return { key: `${algorithm}/${version}/${revision}`, bytes }
}

function withoutUnread(entity: StagingSchema | StagingTable): object {
  const rest: Record<string, unknown> = { ...entity }
  for (const member of UNREAD) delete rest[member]
  return rest
}

/** Parses a serialized version, which lacks the glossary and the texts for people. */
export function readVersion({ bytes }: VersionText): VersionContent {
  const { algorithm, version, schemas, tables } = JSON.parse(
    Buffer.from(bytes.buffer).toString(),
  ) as Written
  const byId = <T extends { readonly id: string }>(entities: readonly T[]) =>
    new Map(entities.map((entity) => [entity.id, entity]))
  return { algorithm, version, schemas: byId(schemas), tables: byId(tables), glossary: new Map() }
}
