import {
  type Body,
  type ChangelogOf,
  type Command,
  type EditCommand,
  type Held,
  isEdit,
  type LoadCommand,
  type OneCommand,
  type PublishCommand,
  type PutCommand,
  type ReadCommand,
  type SearchOf,
  type Who,
} from './publishing-commands.ts'

// A model of an area, written from registry.md 2.2, 3.1 and 7.5 alone: plain objects in memory, with everything
// counted and sorted on each request. It has no fingerprints, scores or revisions.

/** The result of a command: the code of a failure or a value, and whether something was stored. */
export type Outcome =
  | { readonly failure: string }
  | { readonly value?: unknown; readonly stored?: ReadonlySet<string> }

type Json = Readonly<Record<string, unknown>>

interface Notes {
  readonly status: string
  readonly assigned_to?: string
  readonly note?: string
  readonly field_notes?: Json
}

interface Copy {
  readonly content: Json
  readonly notes: Notes
  readonly modified: string
}

interface Item {
  readonly development: Copy
  readonly production?: Copy
  readonly hidden: boolean
  readonly published?: string
}

interface Change {
  readonly id: string
  readonly type: 'ADD' | 'MOD' | 'DEL'
  readonly isPublic: boolean
  readonly old?: Copy
  readonly new?: Copy
}

interface Entry {
  readonly version: string
  readonly date: string
  readonly user: string
  readonly description?: string
  readonly changes: readonly Change[]
}

/** A record in a version. */
interface Seen extends Copy {
  readonly id: string
  readonly hidden: boolean
  readonly published?: string
}

type Noted = Readonly<Partial<Record<'development' | 'latest', readonly Change[]>>>

type Note = Omit<Entry, 'version' | 'changes' | 'description'> & {
  readonly description?: string | undefined
}

interface Changes {
  readonly value?: unknown
  readonly noted: Noted
}

interface VersionFacts {
  readonly type: string
  readonly first?: string
  readonly last?: string
}

interface Beta extends VersionFacts {
  readonly items: readonly Seen[]
  readonly entries: number
}

class Failure extends Error {}

function fail(code: string): never {
  throw new Failure(code)
}

const CONTENT = ['name', 'type', 'text', 'tags']
const NOTES = ['status', 'assigned_to', 'note', 'field_notes']
const USERS: Readonly<Record<Who, string>> = {
  editor: 'RX_EDITOR',
  reader: 'reader',
  other: 'GLOSSARY_EDITOR',
}

export class PublishingModel {
  #items = new Map<string, Item>()
  readonly #betas = new Map<string, Beta>()
  readonly #entries: Entry[] = []
  #development: VersionFacts = { type: 'DEVELOPMENT' }
  #latest: VersionFacts = { type: 'PRODUCTION' }
  #madeIds = 0

  /** Carries out one command. */
  apply(command: Command, now: Date): Outcome {
    try {
      if (isEdit(command)) return this.#edit(command, now.toISOString())
      return { value: this.#read(command) }
    } catch (error) {
      if (error instanceof Failure) return { failure: error.message }
      throw error
    }
  }

  #edit(command: EditCommand, now: string): Outcome {
    if ('bodies' in command) return this.#load(command, now)
    const { who } = command
    if (who !== 'editor') fail('forbidden')
    if ('name' in command) {
      const { kind, name } = command
      return kind === 'createVersion' ? this.#createVersion(name, now) : this.#deleteVersion(name)
    }
    if (!this.#knows(command.version)) fail('not_found')
    if (command.version !== 'development') fail('bad_input')
    const back = this.#keep()
    const before = this.#items
    this.#items = new Map(before)
    try {
      const changes = this.#changes(command, now)
      const description = 'body' in command ? textOf(command.body.description) : command.description
      const { value, noted } = changes
      const isReported = command.kind !== 'create' && command.kind !== 'update'
      this.#note(noted, { date: now, user: USERS[who], ...(isReported && { description }) })
      const stored = [...this.#items].filter(([id, item]) => before.get(id) !== item)
      return { value, stored: new Set(stored.map(([id]) => id)) }
    } catch (error) {
      back()
      throw error
    }
  }

  /** Returns a function that restores the present state. */
  #keep(): () => void {
    const [items, development, latest] = [this.#items, this.#development, this.#latest]
    return () => {
      this.#items = items
      this.#development = development
      this.#latest = latest
    }
  }

  #changes(command: PutCommand | PublishCommand | OneCommand, now: string): Changes {
    if ('id' in command) return this.#one(command, now)
    return command.kind === 'publish' ? this.#publish(command, now) : this.#put(command, now)
  }

  #one(command: OneCommand, now: string): Changes {
    const { id } = command
    const item = this.#item(id, command.held)
    if (command.kind === 'delete') {
      this.#items.delete(id)
      const isPublic = !item.hidden
      const { development: old, production } = item
      return {
        noted: {
          development: [{ id, type: 'DEL', isPublic: false, old }],
          latest: production ? [{ id, type: 'DEL', isPublic, old: production }] : [],
        },
      }
    }
    const { development, production } = item
    if (!production) fail('bad_input')
    if (command.kind === 'reset') {
      if (sameCopy(development, production)) return { noted: {} }
      const after = { ...production, modified: now }
      this.#items.set(id, { ...item, development: after })
      const change = { id, type: 'MOD', isPublic: false, old: development, new: after } as const
      return { noted: { development: [change] } }
    }
    const hidden = command.kind === 'hide'
    if (item.hidden === hidden) return { noted: {} }
    const after = { ...production, modified: now }
    this.#items.set(id, { ...item, hidden, production: after })
    const change = hidden
      ? ({ id, type: 'DEL', isPublic: true, old: production } as const)
      : ({ id, type: 'ADD', isPublic: true, new: after } as const)
    // Development gets a new date as well, although its contents are unchanged.
    this.#development = { ...this.#development, last: now }
    return { noted: { latest: [change] } }
  }

  #put(command: PutCommand, now: string): Changes {
    const { body, kind } = command
    if (!isGood(body)) fail('bad_input')
    if (kind === 'update' && body.id === undefined) fail('bad_input')
    const id = textOf(body.id) ?? `made-${++this.#madeIds}`
    if (kind === 'create' && this.#items.has(id)) fail('bad_input')
    const before = kind === 'update' ? this.#item(id, command.held) : undefined
    const status = before?.development.notes.status ?? 'DRAFT'
    const development = copyOf(body, { status }, now)
    const item = { ...(before ?? { hidden: false }), development }
    this.#items.set(id, item)
    const change: Change = {
      id,
      type: before ? 'MOD' : 'ADD',
      isPublic: false,
      new: development,
      ...(before && { old: before.development }),
    }
    const seen = { id, ...development, hidden: item.hidden, ...publishedOf(item) }
    return {
      value: describe(seen, { version: 'development', asEditor: true }),
      noted: { development: [change] },
    }
  }

  #publish({ body, held }: PublishCommand, now: string): Changes {
    const ids = body.ids as readonly string[]
    const target = body.version_to
    if (ids.length === 0 || (target !== undefined && target !== 'latest')) fail('bad_input')
    const noted: Record<'development' | 'latest', Change[]> = { development: [], latest: [] }
    for (const id of new Set(ids)) {
      const item = this.#item(id, held)
      const notes = {
        ...item.development.notes,
        ...(body.status !== undefined && { status: textOf(body.status) as string }),
        ...(body.assigned_to !== undefined && { assigned_to: textOf(body.assigned_to) as string }),
      }
      this.#publishOne(id, item, { notes, now, noted })
    }
    return { noted }
  }

  #publishOne(
    id: string,
    item: Item,
    wanted: {
      readonly notes: Notes
      readonly now: string
      readonly noted: Record<'development' | 'latest', Change[]>
    },
  ): boolean {
    const { notes, now, noted } = wanted
    const { development, production, hidden } = item
    const after = { ...development, notes }
    const isNoted = !sameCopy(development, after)
    if (!isNoted && production && sameCopy(production, after)) return false
    const isChanged = !production || !same(production.content, after.content)
    const next = { ...after, modified: isNoted ? now : development.modified }
    const published = { ...after, modified: isChanged ? now : production.modified }
    this.#items.set(id, {
      ...item,
      development: next,
      production: published,
      published: item.published ?? now,
    })
    this.#development = { ...this.#development, last: now }
    this.#latest = { ...this.#latest, first: this.#latest.first ?? now, last: now }
    if (isNoted) {
      const change = { id, type: 'MOD', isPublic: false, old: development, new: next } as const
      noted.development.push(change)
    }
    if (isChanged) {
      noted.latest.push({
        id,
        type: production ? 'MOD' : 'ADD',
        isPublic: !hidden,
        new: published,
        ...(production && { old: production }),
      })
    }
    return true
  }

  #load({ bodies, publish, dryRun }: LoadCommand, now: string): Outcome {
    if (!bodies.every(isGood)) fail('bad_input')
    const value = { added: [] as string[], changed: [] as string[], same: [] as string[] }
    const noted: Record<'development' | 'latest', Change[]> = { development: [], latest: [] }
    const back = this.#keep()
    this.#items = new Map(this.#items)
    for (const body of bodies) {
      const id = body.id as string
      const item = this.#items.get(id)
      const old = item?.development
      const development = copyOf(body, old?.notes ?? { status: 'READY' }, now, old?.notes)
      const isPut = !old || !sameCopy(old, development)
      const kept = isPut ? development : old
      const next = { ...(item ?? { hidden: false }), development: kept }
      if (isPut) {
        this.#items.set(id, next)
        noted.development.push({
          id,
          type: old ? 'MOD' : 'ADD',
          isPublic: false,
          new: development,
          ...(old && { old }),
        })
      }
      const isPublished = publish && this.#publishOne(id, next, { notes: kept.notes, now, noted })
      if (!item) value.added.push(id)
      else (isPut || isPublished ? value.changed : value.same).push(id)
    }
    if (dryRun) {
      back()
      return { value, stored: new Set() }
    }
    this.#note(noted, { date: now, user: 'loader', description: 'loaded' })
    return { value, stored: new Set([...value.added, ...value.changed]) }
  }

  #createVersion(name: string, now: string): Outcome {
    if (!/^beta-\d$/.test(name) || this.#betas.has(name)) fail('bad_input')
    const items = this.#seen('latest')
    const entries = this.#entries.length
    this.#betas.set(name, { type: 'BETA', first: now, last: now, items, entries })
    return { value: this.#describeVersion(name, true) }
  }

  #deleteVersion(name: string): Outcome {
    if (!this.#knows(name)) fail('not_found')
    if (!this.#betas.delete(name)) fail('bad_input')
    return {}
  }

  #note(noted: Noted, { description, ...by }: Note): void {
    const { date } = by
    const { development = [], latest = [] } = noted
    if (development.length > 0) this.#development = { ...this.#development, last: date }
    if (latest.length > 0) {
      this.#latest = { ...this.#latest, first: this.#latest.first ?? date, last: date }
    }
    for (const [version, changes] of Object.entries({ development, latest })) {
      if (changes.length === 0) continue
      const sorted = changes.toSorted((a, b) => (a.id < b.id ? -1 : 1))
      const told = description === undefined ? {} : { description }
      this.#entries.push({ ...by, ...told, version, changes: sorted })
    }
  }

  #read(command: ReadCommand): unknown {
    const asEditor = command.who === 'editor'
    if (command.kind === 'versions') {
      const names = asEditor ? [...this.#betas.keys(), 'development', 'latest'].sort() : ['latest']
      return names.map((name) => this.#describeVersion(name, asEditor))
    }
    const { version } = command
    if (!this.#knows(version) || (!asEditor && version !== 'latest')) fail('not_found')
    const seen = this.#seen(version).filter(({ hidden }) => asEditor || !hidden)
    const view = { version, asEditor }
    switch (command.kind) {
      case 'record': {
        const found = seen.find(({ id }) => id === command.id) ?? fail('not_found')
        const history = asEditor && { history: this.#history(version, command.id) }
        return { ...describe(found, view), ...history }
      }
      case 'search':
        return search(seen, view, command.request)
      case 'changelog':
        return this.#changelog(view, command.request)
      case 'keywords':
        return keywords(seen, command)
      case 'contents':
        return seen.map(({ id, content }) => ({ id, content }))
      case 'matching':
        return seen
          .filter(({ content }) => wordsOf(content.tags).includes(command.tag))
          .map((one) => describe(one, view))
      case 'statusSummary':
        return statusSummary(seen, view)
    }
  }

  #knows(version: string): boolean {
    return version === 'latest' || version === 'development' || this.#betas.has(version)
  }

  /** The records of a version, by id. */
  #seen(version: string): Seen[] {
    const beta = this.#betas.get(version)
    if (beta) return [...beta.items]
    const isLatest = version === 'latest'
    const all = [...this.#items].flatMap(([id, item]) => {
      const copy = isLatest ? item.production : item.development
      return copy ? [{ ...copy, id, hidden: item.hidden, ...publishedOf(item) }] : []
    })
    return all.sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  #item(id: string, held: Held): Item {
    const item = this.#items.get(id) ?? fail('bad_input')
    if (held === 'stale') fail('precondition_failed')
    return item
  }

  #describeVersion(version: string, asEditor: boolean): Json {
    const facts =
      this.#betas.get(version) ?? (version === 'latest' ? this.#latest : this.#development)
    const { type, first, last } = facts
    return {
      version,
      ...(asEditor && { type }),
      ...(first !== undefined && { first_published: first }),
      ...(last !== undefined && { last_modified: last }),
      count: this.#seen(version).filter(({ hidden }) => asEditor || !hidden).length,
    }
  }

  #entriesOf(version: string): Entry[] {
    const beta = this.#betas.get(version)
    const source = beta ? 'latest' : version
    return this.#entries.slice(0, beta?.entries).filter((entry) => entry.version === source)
  }

  #history(version: string, id: string): Json[] {
    const events = this.#entriesOf(version).flatMap(({ user, date, changes }) =>
      changes
        .filter((change) => change.id === id)
        .map((change) => ({
          user,
          date,
          ...(change.old && { old: describeFormer(id, change.old, true) }),
          ...(change.new && { new: describeFormer(id, change.new, true) }),
        })),
    )
    return events.reverse()
  }

  #changelog({ version, asEditor }: View, request: ChangelogOf): Json {
    const { from, to, id, count = 10, offset = 0, order = 'DESC' } = request
    if (from === '2026-02-30') fail('bad_input')
    const seen = new Set(
      this.#seen(version)
        .filter(({ hidden }) => !hidden)
        .map((one) => one.id),
    )
    const found = this.#entriesOf(version).filter(({ date, changes }) => {
      const isAbout = changes.some(
        (one) => (asEditor || one.isPublic) && (id === undefined || one.id === id),
      )
      return isAbout && isWithin(date, from, to)
    })
    if (order === 'DESC') found.reverse()
    const changelogs = found.slice(offset, offset + count).map(({ changes, ...by }) => {
      const told = changes.filter((one) => id === undefined || one.id === id)
      const shown = asEditor
        ? told
        : told.filter((one) => one.isPublic && (one.type !== 'MOD' || seen.has(one.id)))
      const lists = { ADD: 'adds', MOD: 'mods', DEL: 'deletes' } as const
      const entries = Object.entries(lists).map(([type, list]) => {
        const own = shown.filter((one) => one.type === type)
        const isMod = type === 'MOD'
        return [list, own.map((one) => describeChange(one, isMod, asEditor))] as const
      })
      return { ...by, ...Object.fromEntries(entries.filter(([, list]) => list.length > 0)) }
    })
    return { total: found.length, count, offset, changelogs }
  }
}

interface View {
  readonly version: string
  readonly asEditor: boolean
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function isGood(body: Body): boolean {
  const isText = (value: unknown) =>
    value === undefined || value === null || textOf(value) === value
  const { id, name, type, status, field_notes } = body
  return (
    textOf(name) !== undefined &&
    ['DRUG', 'REGIMEN'].includes(type as string) &&
    [undefined, 'DRAFT', 'REVIEW', 'READY'].includes(status as string) &&
    isText(body.note) &&
    id !== 'a b' &&
    Object.values((field_notes ?? {}) as Json).every(isText)
  )
}

function pick(body: Body, names: readonly string[]): Json {
  const given = names.filter((name) => body[name] !== undefined && body[name] !== null)
  return Object.fromEntries(given.map((name) => [name, body[name]]))
}

function copyOf(body: Body, { status }: Notes, now: string, kept?: Notes): Copy {
  const notes = { status, ...kept, ...pick(body, NOTES) } as Notes
  return { content: pick(body, CONTENT), notes, modified: now }
}

function publishedOf({ published }: Item): { readonly published?: string } {
  return published === undefined ? {} : { published }
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function sameCopy(a: Copy, b: Copy): boolean {
  return (
    same(a.content, b.content) && same(pick({ ...a.notes }, NOTES), pick({ ...b.notes }, NOTES))
  )
}

function describe(seen: Seen, { version, asEditor }: View): Json {
  const { id, content, notes, hidden, modified, published } = seen
  return {
    id,
    ...content,
    version,
    last_modified: modified,
    ...(asEditor && { hidden, ...notes }),
    ...(published !== undefined && { first_published: published }),
  }
}

function describeFormer(id: string, { content, notes }: Copy, asEditor: boolean): Json {
  return { id, ...content, ...(asEditor && notes) }
}

function describeChange(change: Change, isMod: boolean, asEditor: boolean): Json {
  const { id, old, new: after } = change
  const name = (after ?? old)?.content.name
  if (!isMod || !old || !after) return { id, name }
  return {
    id,
    name,
    old: describeFormer(id, old, asEditor),
    new: describeFormer(id, after, asEditor),
  }
}

function isWithin(date: string, from: string | undefined, to: string | undefined): boolean {
  const day = date.slice(0, 10)
  return (from === undefined || day >= from) && (to === undefined || day <= to)
}

function wordsOf(value: unknown): string[] {
  return typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : []
}

function search(seen: readonly Seen[], view: View, request: SearchOf): Json {
  const { count = 25, offset = 0, order, output_type = 'MIN' } = request
  if (request.mode === 'XOR' || order === 'size') fail('bad_input')
  const terms = [...new Set((request.q ?? '').toLowerCase().split(' ').filter(Boolean))]
  const found = seen.filter(
    (one) => passes(one, view, request) && hasTerms(one, terms, request.mode),
  )
  if (order !== undefined) sortBy(found, order, view.asEditor)
  const results = found.slice(offset, offset + count).map((one) => {
    const { name, type } = one.content
    const shown = output_type === 'MIN' ? { name, type } : one.content
    return describe({ ...one, content: shown as Json }, view)
  })
  return {
    terms,
    total: found.length,
    count,
    offset,
    ...(order !== undefined && { order }),
    ...(results.length > 0 && { results }),
  }
}

function hasTerms({ content }: Seen, terms: readonly string[], mode = 'OR'): boolean {
  const words = [...wordsOf(content.name), ...wordsOf(content.text)]
  const has = (term: string) => words.some((word) => word.startsWith(term))
  return terms.length === 0 || (mode === 'OR' ? terms.some(has) : terms.every(has))
}

function passes(one: Seen, { asEditor }: View, request: SearchOf): boolean {
  const { content, notes, hidden, modified, published } = one
  const { status, assigned_to, filters = {} } = request
  const isPublished = published !== undefined
  if (!asEditor && (status !== undefined || assigned_to !== undefined)) return false
  const days = (name: 'modified' | 'published') =>
    [request[`${name}_from`], request[`${name}_to`]] as const
  const hasDays = days('published').some((day) => day !== undefined)
  return (
    (status === undefined || status.includes(notes.status)) &&
    (assigned_to === undefined || notes.assigned_to === assigned_to) &&
    (request.hidden === undefined || request.hidden === hidden) &&
    (request.been_published === undefined || request.been_published === isPublished) &&
    isWithin(modified, ...days('modified')) &&
    (!hasDays || (isPublished && isWithin(published, ...days('published')))) &&
    Object.entries(filters).every(([name, values]) => {
      const own = [content[name]].flat()
      return values.some((value) => own.includes(value))
    })
  )
}

function sortBy(found: Seen[], order: string, asEditor: boolean): void {
  const name = order.replace('-', '')
  const keyOf = ({ content, notes, modified }: Seen): string | undefined => {
    if (name === 'last_modified') return modified
    if (name === 'status') return asEditor ? notes.status.toLowerCase() : undefined
    if (name === 'assigned_to') return asEditor ? notes.assigned_to : undefined
    return textOf(content[name])?.toLowerCase()
  }
  const turn = order.startsWith('-') ? -1 : 1
  // The sort is stable, so equal records stay in the order of ids.
  found.sort((a, b) => {
    const [x, y] = [keyOf(a), keyOf(b)]
    if (x === y) return 0
    if (x === undefined) return 1
    return y === undefined ? -1 : x < y ? -turn : turn
  })
}

function keywords(
  seen: readonly Seen[],
  { q = '', count = 25 }: { readonly q?: string; readonly count?: number },
): Json[] {
  const words = seen.flatMap(({ content }) => [
    ...new Set([...wordsOf(content.name), ...wordsOf(content.text)]),
  ])
  const counts = Map.groupBy(words, (word) => word)
  return [...counts]
    .filter(([word]) => word.startsWith(q))
    .map(([keyword, all]) => ({ keyword, count: all.length }))
    .sort((a, b) => b.count - a.count || (a.keyword < b.keyword ? -1 : 1))
    .slice(0, count)
}

function statusSummary(seen: readonly Seen[], { version, asEditor }: View): Json {
  const keys = seen.map(({ content, notes }) => [content.type, asEditor ? notes.status : ''].join())
  const groups = [...Map.groupBy(keys, (key) => key)].sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    version,
    count: seen.length,
    status_summary: groups.map(([key, all]) => {
      const [type, status] = key.split(',')
      return { type, ...(status && { status }), count: all.length }
    }),
  }
}
