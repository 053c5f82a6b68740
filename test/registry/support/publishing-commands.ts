import type { Random } from '../../../fixtures/random.ts'

// Random sequences of the actions of editors and readers on an area. There are only a few ids and words, so that
// actions affect each other.

export type Who = 'editor' | 'reader' | 'other'

/** The revision that a caller considers current: the present one, an earlier one, or any. */
export type Held = 'current' | 'stale' | 'any' | undefined

export type Body = Readonly<Record<string, unknown>>

interface On {
  readonly who: Who
  readonly version: string
}

export interface PutCommand extends On {
  readonly kind: 'create' | 'update'
  readonly body: Body
  readonly held: Held
}

export interface PublishCommand extends On {
  readonly kind: 'publish'
  readonly body: Body
  readonly held: Held
}

export interface OneCommand extends On {
  readonly kind: 'reset' | 'hide' | 'unhide' | 'delete'
  readonly id: string
  readonly held: Held
  readonly description?: string
}

interface VersionCommand {
  readonly kind: 'createVersion' | 'deleteVersion'
  readonly who: Who
  readonly name: string
}

export interface LoadCommand {
  readonly kind: 'load'
  readonly bodies: readonly Body[]
  readonly publish: boolean
  readonly dryRun: boolean
}

export type EditCommand = PutCommand | PublishCommand | OneCommand | VersionCommand | LoadCommand

export type ReadCommand =
  | (On & { readonly kind: 'record'; readonly id: string })
  | (On & { readonly kind: 'search'; readonly request: SearchOf })
  | (On & { readonly kind: 'changelog'; readonly request: ChangelogOf })
  | (On & { readonly kind: 'keywords'; readonly q?: string; readonly count?: number })
  | (On & { readonly kind: 'statusSummary' | 'contents' })
  | (On & { readonly kind: 'matching'; readonly tag: string })
  | { readonly kind: 'versions'; readonly who: Who }

export type Command = EditCommand | ReadCommand

export function isEdit(command: Command): command is EditCommand {
  return 'held' in command || 'name' in command || 'bodies' in command
}

export interface SearchOf {
  readonly q?: string
  readonly mode?: string
  readonly status?: readonly string[]
  readonly assigned_to?: string
  readonly hidden?: boolean
  readonly been_published?: boolean
  readonly modified_from?: string
  readonly modified_to?: string
  readonly published_from?: string
  readonly published_to?: string
  readonly filters?: Readonly<Record<string, readonly string[]>>
  readonly order?: string
  readonly count?: number
  readonly offset?: number
  readonly output_type?: string
}

export interface ChangelogOf {
  readonly from?: string
  readonly to?: string
  readonly id?: string
  readonly count?: number
  readonly offset?: number
  readonly order?: string
}

/** The last id is used less often. */
export const IDS = ['a', 'b', 'c', 'd', 'seldom'] as const
const BETAS = ['beta-1', 'beta-2'] as const
const VERSIONS = ['development', 'latest', ...BETAS, 'unknown'] as const
const WORDS = ['alpha', 'alpine', 'beta', 'gamma', 'gammas', 'delta'] as const
const TAGS = ['x', 'y', 'z'] as const

/** The days of the sequences; see timeOf. */
const DAYS = ['2026-02-28', '2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04'] as const

/** The time of a step: there are four on each day. */
export function timeOf(step: number): Date {
  return new Date(Date.UTC(2026, 2, 1, 3 + 6 * step))
}

/** Reads everything as an editor and as a reader. */
export function everything(): ReadCommand[] {
  return (['editor', 'reader'] as const).flatMap((who) => [
    { kind: 'versions', who } as const,
    ...VERSIONS.flatMap((version): ReadCommand[] => [
      { kind: 'changelog', who, version, request: {} },
      { kind: 'search', who, version, request: { order: 'name', output_type: 'FULL' } },
      { kind: 'keywords', who, version },
      ...IDS.map((id) => ({ kind: 'record', who, version, id }) as const),
    ]),
  ])
}

/** Draws commands, which the seed determines. */
export class Commands {
  readonly #random: Random
  #hasBegun = false

  constructor(random: Random) {
    this.#random = random
  }

  next(): Command {
    // Usually there are records to start with.
    if (!this.#hasBegun && this.#random.chance(0.8)) {
      this.#hasBegun = true
      return this.#load()
    }
    return this.#random.chance(0.6) ? this.edit() : this.read()
  }

  edit(): EditCommand {
    const on = { who: this.#who(), version: this.#editedVersion() }
    const one = () => ({
      ...on,
      id: this.#id(),
      held: this.#held(),
      ...(this.#random.chance(0.3) && { description: this.#words() }),
    })
    const put = (kind: PutCommand['kind']) => ({
      kind,
      ...on,
      body: this.#body(kind === 'create'),
      held: kind === 'create' ? undefined : this.#held(),
    })
    return this.#weighed<() => EditCommand>([
      [2, () => put('create')],
      [5, () => put('update')],
      [6, () => ({ kind: 'publish', ...on, body: this.#publishInfo(), held: this.#held() })],
      [3, () => ({ kind: 'reset', ...one() })],
      [4, () => ({ kind: 'hide', ...one() })],
      [4, () => ({ kind: 'unhide', ...one() })],
      [1, () => ({ kind: 'delete', ...one() })],
      [1, () => ({ kind: 'createVersion', who: on.who, name: this.#madeVersion() })],
      [1, () => ({ kind: 'deleteVersion', who: on.who, name: this.#madeVersion() })],
      [1, () => this.#load()],
    ])()
  }

  #load(): LoadCommand {
    return {
      kind: 'load',
      bodies: IDS.filter(() => this.#random.chance(0.5)).map((id) => this.#good(id)),
      publish: this.#random.chance(0.7),
      dryRun: this.#random.chance(0.1),
    }
  }

  read(): ReadCommand {
    const who = this.#who()
    const on = { who, version: this.#readVersion(who) }
    return this.#weighed<() => ReadCommand>([
      [4, () => ({ kind: 'record', ...on, id: this.#id() })],
      [4, () => ({ kind: 'search', ...on, request: this.#search() })],
      [2, () => ({ kind: 'changelog', ...on, request: this.#changelog() })],
      [1, () => ({ kind: 'keywords', ...on, ...this.#keywords() })],
      [1, () => ({ kind: 'statusSummary', ...on })],
      [1, () => ({ kind: 'contents', ...on })],
      [1, () => ({ kind: 'matching', ...on, tag: this.#oneOf(TAGS) })],
      [1, () => ({ kind: 'versions', who })],
    ])()
  }

  #keywords() {
    return {
      ...(this.#random.chance(0.5) && { q: this.#oneOf(['al', 'g', 'beta', 'none']) }),
      ...(this.#random.chance(0.5) && { count: 1 + this.#random.below(4) }),
    }
  }

  #who(): Who {
    if (this.#random.chance(0.85)) return 'editor'
    return this.#random.chance(0.7) ? 'reader' : 'other'
  }

  #id(): string {
    return IDS[this.#random.chance(0.05) ? 4 : this.#random.below(4)] as string
  }

  #editedVersion(): string {
    return this.#random.chance(0.96) ? 'development' : this.#oneOf(VERSIONS)
  }

  #readVersion(who: Who): string {
    if (who !== 'editor' && this.#random.chance(0.8)) return 'latest'
    return this.#oneOf(['development', 'development', 'latest', ...VERSIONS])
  }

  #madeVersion(): string {
    if (this.#random.chance(0.8)) return this.#oneOf(BETAS)
    return this.#oneOf(['latest', 'development', 'match', 'no name', ''])
  }

  #held(): Held {
    return this.#oneOf([...Array<Held>(5).fill(undefined), 'current', 'current', 'stale', 'any'])
  }

  #words(): string {
    const count = 1 + this.#random.below(3)
    return Array.from({ length: count }, () => this.#oneOf(WORDS)).join(' ')
  }

  #content(): Body {
    // The draw should include equal contents with different notes, and the reverse.
    if (this.#random.chance(0.3)) return { name: 'alpha', type: 'DRUG' }
    return {
      name: this.#words(),
      type: this.#oneOf(['DRUG', 'REGIMEN']),
      ...(this.#random.chance(0.5) && { text: this.#words() }),
      ...(this.#random.chance(0.5) && { tags: TAGS.filter(() => this.#random.chance(0.5)) }),
    }
  }

  #good(id: string | undefined): Body {
    return {
      ...(id !== undefined && { id }),
      ...this.#content(),
      ...(this.#random.chance(0.4) && { status: this.#status() }),
      ...(this.#random.chance(0.3) && { assigned_to: this.#oneOf(['ann', 'bob']) }),
      ...(this.#random.chance(0.2) && { note: this.#words() }),
      ...(this.#random.chance(0.2) && { field_notes: { name: this.#words() } }),
      ...(this.#random.chance(0.2) && { hidden: true, version: 'latest', unknown: 1, note: null }),
    }
  }

  #body(mayLackId: boolean): Body {
    const good = this.#good(mayLackId && this.#random.chance(0.1) ? undefined : this.#id())
    if (this.#random.chance(0.93)) return good
    const faults = [{ name: 3 }, { type: 'PILL' }, { status: 'DONE' }, { id: 'a b' }, { note: [] }]
    return { ...good, ...this.#oneOf<Body>([...faults, { field_notes: { name: 1 } }]) }
  }

  #publishInfo(): Body {
    return {
      ids: Array.from({ length: this.#random.chance(0.05) ? 0 : 1 + this.#random.below(2) }, () =>
        this.#id(),
      ),
      ...(this.#random.chance(0.3) && { status: this.#status() }),
      ...(this.#random.chance(0.2) && { assigned_to: this.#oneOf(['ann', 'bob']) }),
      ...(this.#random.chance(0.3) && { description: this.#words() }),
      ...(this.#random.chance(0.05) && { version_to: this.#oneOf(VERSIONS) }),
    }
  }

  #status(): string {
    return this.#oneOf(['DRAFT', 'REVIEW', 'READY'])
  }

  #days(): Readonly<Record<string, string>> {
    const name = this.#oneOf(['modified', 'published'])
    return {
      ...(this.#random.chance(0.6) && { [`${name}_from`]: this.#oneOf(DAYS) }),
      ...(this.#random.chance(0.6) && { [`${name}_to`]: this.#oneOf(DAYS) }),
    }
  }

  #search(): SearchOf {
    const random = this.#random
    const orders = ['name', '-name', 'status', '-assigned_to', 'last_modified', '-type']
    return {
      ...(random.chance(0.4) && { q: this.#oneOf(['al', 'gamma', 'beta delta', 'ALPHA', 'none']) }),
      ...(random.chance(0.3) && { mode: this.#oneOf(['AND', 'OR']) }),
      ...(random.chance(0.2) && { status: [this.#status(), this.#status()] }),
      ...(random.chance(0.15) && { assigned_to: this.#oneOf(['ann', 'bob']) }),
      ...(random.chance(0.2) && { hidden: random.chance(0.5) }),
      ...(random.chance(0.2) && { been_published: random.chance(0.5) }),
      ...(random.chance(0.25) && this.#days()),
      ...(random.chance(0.3) && { filters: { type: ['DRUG'], tags: [this.#oneOf(TAGS)] } }),
      ...(random.chance(0.5) && {
        order: this.#oneOf(orders),
        ...(random.chance(0.5) && { count: 1 + random.below(3), offset: random.below(3) }),
      }),
      ...(random.chance(0.5) && { output_type: this.#oneOf(['MIN', 'PARTIAL', 'FULL']) }),
      ...(random.chance(0.05) && this.#oneOf<SearchOf>([{ mode: 'XOR' }, { order: 'size' }])),
    }
  }

  #changelog(): ChangelogOf {
    const random = this.#random
    return {
      ...(random.chance(0.3) && { from: this.#oneOf(DAYS) }),
      ...(random.chance(0.3) && { to: this.#oneOf(DAYS) }),
      ...(random.chance(0.3) && { id: this.#id() }),
      ...(random.chance(0.3) && { count: 1 + random.below(4) }),
      ...(random.chance(0.3) && { offset: random.below(4) }),
      ...(random.chance(0.3) && { order: this.#oneOf(['ASC', 'DESC']) }),
      ...(random.chance(0.05) && { from: '2026-02-30' }),
    }
  }

  #weighed<Value>(values: readonly (readonly [weight: number, Value])[]): Value {
    return this.#oneOf(values.flatMap(([weight, value]) => Array<Value>(weight).fill(value)))
  }

  #oneOf<Value>(values: readonly Value[]): Value {
    return values[this.#random.below(values.length)] as Value
  }
}
