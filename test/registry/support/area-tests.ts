import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_BATCHES } from '../../../engine/registry/ndjson-batch/limits.ts'
import { ROLES, type Role } from '../../../engine/shared/index.ts'
import type { Config } from '../../../server/config.ts'
import { areaOf, type Operation, registryOperations } from './area-operations.ts'
import { failureOf, successOf } from './registry-answers.ts'
import { openRegistry, type RegistryWorld, type Request } from './registry-world.ts'

// The requirements on every area of the registry, as tests that an area's file calls in its order: the
// operations come from the routes, and a status that no test reaches fails the last one.

/** Values for `{name}` in paths. */
type Names = Readonly<Record<string, string>>

/** An operation by its name, the expected status, and the parameters of the request. */
export type Step = readonly [
  operation: string,
  status: number,
  names?: Names & { readonly query?: string },
  body?: unknown,
  request?: Pick<Request, 'headers' | 'who'>,
]

export interface AreaTable {
  /** The path segment after `/rest/`. */
  readonly area: string
  /** Default values for names in paths. */
  readonly names: Names
  /** Names that do not exist. */
  readonly unknown: Names
  /** A body that an operation accepts if possible; by default an empty object. */
  readonly bodyOf?: (operation: string) => unknown
  /** The required query of an operation. */
  readonly queryOf?: (operation: string) => string | undefined
  /** The roles, other than ADMIN, that may call an operation with a required role. */
  readonly rolesFor: (operation: string) => readonly Role[]
  /** Operations that post but need no role, since they change nothing. */
  readonly reads: RegExp
  /** Query parameters that may be given several times. */
  readonly repeatable?: readonly string[]
  /** Prepares a world before the first step. */
  readonly prepare?: (world: RegistryWorld) => Promise<void>
}

interface RefusalRequest {
  readonly names?: Names
  readonly query?: string
  readonly registry?: RegistryWorld
}

const BODY_BYTES = 1024
const JSON_TYPE = 'application/json'
const TEXT_TYPE = 'text/plain'
const LINES_TYPE = 'application/x-ndjson'
const XML_TYPE = 'application/xml'

/** Opens a world for the tests of this file, and closes it after the last. */
export async function describeArea(table: AreaTable): Promise<DescribedArea> {
  const operations = await registryOperations()
  return new DescribedArea(
    table,
    operations.filter((operation) => areaOf(operation) === table.area),
  )
}

export class DescribedArea {
  readonly operations: readonly Operation[]
  readonly #table: AreaTable
  readonly #covered = new Set<string>()
  #world: RegistryWorld | undefined
  #tight: RegistryWorld | undefined

  constructor(table: AreaTable, operations: readonly Operation[]) {
    this.#table = table
    this.operations = operations
    const open = async (settings?: Partial<Config>) => {
      const world = await openRegistry(settings)
      await table.prepare?.(world)
      return world
    }
    beforeAll(async () => {
      this.#world = await open()
      this.#tight = await openRegistry({ bodyBytes: BODY_BYTES })
    })
    afterAll(async () => {
      await this.#world?.[Symbol.asyncDispose]()
      await this.#tight?.[Symbol.asyncDispose]()
    })
  }

  /** The world of this file; it does not exist before the first test runs. */
  get world(): RegistryWorld {
    if (!this.#world) throw new Error('no world before the first test')
    return this.#world
  }

  /** Operations with their names for `test.each`. */
  named(wanted: (operation: Operation) => boolean = () => true) {
    return this.operations.filter(wanted).map((operation) => [operation.name, operation] as const)
  }

  /** The operation with the names in its path filled in. */
  filled(operation: string, names: Names = {}): string {
    const all: Names = { ...this.#table.names, ...names }
    return operation.replace(/\{(\w+)\}/g, (_, name: string) => all[name] ?? name)
  }

  /** Sends a request and checks its status; returns the body of a success, otherwise the message. */
  async take([operation, status, { query, ...names } = {}, body, request]: Step): Promise<unknown> {
    const target = this.filled(operation, names)
    this.cover(operation, status)
    const asked = query === undefined ? target : `${target}?${query}`
    const response = await this.world.ask(asked, { body, ...request })
    if (status === 200) await this.#asksAgain(operation, asked)
    if (status < 300) return successOf(response, status)
    return failureOf(response, status, decodeURI(pathOf(target)))
  }

  /** Repeats a read with its ETag: a user with a key gets a 304. */
  async #asksAgain(operation: string, asked: string): Promise<void> {
    const isKept = this.operations.some(({ name, has }) => name === operation && has(304))
    if (!isKept) return
    const held = await this.world.ask(asked, { who: 'reader' })
    if (held.status !== 200 || held.headers.get('cache-control') === 'no-store') return
    const headers = { 'If-None-Match': held.headers.get('etag') ?? '' }
    const again = await this.world.ask(asked, { who: 'reader', headers })
    expect({ status: again.status, text: await again.text() }).toEqual({ status: 304, text: '' })
    for (const name of ['etag', 'cache-control', 'vary']) {
      expect(again.headers.get(name)).toBe(held.headers.get(name))
    }
    this.cover(operation, 304)
    expect((await this.world.ask(asked, { who: 'nobody', headers })).status).toBe(401)
    const other = { who: 'reader', headers: { 'If-None-Match': '"0"' } } as const
    expect((await this.world.ask(asked, other)).status).toBe(200)
  }

  /** Records that a test has reached a status. */
  cover(operation: string, status: number): void {
    this.#covered.add(`${operation} ${status}`)
  }

  /** Sends a request with names that do not exist, unless others are given, and returns the message. */
  async refuses(
    operation: string,
    status: number,
    request: Request = {},
    { names = this.#table.unknown, query, registry = this.world }: RefusalRequest = {},
  ): Promise<string> {
    this.cover(operation, status)
    const target = this.filled(operation, names)
    const asked = query === undefined ? target : `${target}?${query}`
    return failureOf(await registry.ask(asked, request), status, pathOf(target))
  }

  /** Defines one test for each step, in their order. */
  testSteps(title: string, steps: readonly Step[]): void {
    const titled = steps.map((step) => {
      const [operation, status, { query, ...names } = {}] = step
      return { step, told: `${this.filled(operation, names)} ${query ?? ''} is ${status}` }
    })
    describe(title, () => {
      test.each(titled)('$told', async ({ step }) => void (await this.take(step)))
    })
  }

  /** Tests keys, roles, bodies and queries that no operation accepts, and names that do not exist. */
  testRefusals(): void {
    describe('what any operation of its kind answers', () => {
      this.#testKeys()
      this.#testBodies()
      this.#testNames()
    })
  }

  #testKeys(): void {
    test.each(this.named())(
      '%s without a key, or with a wrong one, is 401',
      async (name, { posts }) => {
        await this.refuses(name, 401, { who: 'nobody', ...(posts && { body: '{' }) })
        for (const wrong of ['BAD KEY', 'x', `${'0'.repeat(16)}_${'A'.repeat(43)}`]) {
          await this.refuses(name, 401, { who: 'nobody', headers: { 'X-SEERAPI-Key': wrong } })
        }
        const headers = { 'X-Auth-Token': this.world.secrets.ADMIN }
        await this.refuses(name, 401, { who: 'nobody', headers })
      },
    )

    const edits = this.named(({ has }) => has(403))
    test.each(edits)('%s is 403 for a reader, whatever is posted', async (name) => {
      await this.refuses(name, 403, { who: 'reader' })
      await this.refuses(name, 403, { who: 'reader', body: '{' })
    })
  }

  #testBodies(): void {
    const posting = (type: string) => this.named(({ posts }) => posts === type)
    test.each(posting(JSON_TYPE))('%s: bad JSON, another type, and too much', async (name) => {
      for (const body of ['', '{', '{"a":1}}', 'x', '{"a":\u0000}']) {
        await this.refuses(name, 400, { body })
      }
      const others = ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']
      await this.#refusesTypes(name, others, JSON_TYPE)
      await this.#refusesMuch(name, JSON_TYPE)
    })
    test.each(posting(TEXT_TYPE))('%s: another type, and too much', async (name) => {
      await this.#refusesTypes(name, ['text/html', JSON_TYPE], TEXT_TYPE)
      await this.#refusesMuch(name, TEXT_TYPE)
    })
    test.each(posting(LINES_TYPE))('%s: another type, and line by line', async (name) => {
      await this.#refusesTypes(name, ['text/csv', TEXT_TYPE], LINES_TYPE)
      await this.#answersLines(name)
      await this.#refusesWhenBusy(name)
    })
  }

  async #refusesTypes(name: string, types: readonly string[], right: string): Promise<void> {
    const coded = { 'Content-Type': right, 'Content-Encoding': 'gzip' }
    const latin = { 'Content-Type': `${right}; charset=iso-8859-1` }
    const others = types.map((type) => ({ 'Content-Type': type }))
    for (const headers of [...others, coded, latin]) {
      await this.refuses(name, 415, { body: '{}', headers })
    }
  }

  async #refusesMuch(name: string, type: string): Promise<void> {
    const body = JSON.stringify({ a: 'x'.repeat(2 * BODY_BYTES) })
    const large = { body, headers: { 'Content-Type': type } }
    await this.refuses(name, 413, large, { registry: this.#tight ?? this.world })
  }

  async #answersLines(name: string): Promise<void> {
    this.cover(name, 200)
    const headers = { 'Content-Type': LINES_TYPE }
    const body = `${JSON.stringify(this.#bodyOf(name))}\n\nx\n`
    const response = await this.world.ask(this.filled(name), { body, headers })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe(LINES_TYPE)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const [first, ...rest] = (await response.text()).trimEnd().split('\n')
    expect(JSON.parse(first ?? '')).not.toHaveProperty('error')
    // The answer to an empty line is an empty line.
    expect(rest).toMatchObject(['', expect.any(String)])
    expect(JSON.parse(rest[1] ?? '')).toMatchObject({ line: 3, error: { code: 'bad_input' } })
  }

  /** Starts as many requests as permitted, and expects that one more is refused. */
  async #refusesWhenBusy(name: string): Promise<void> {
    const headers = {
      'Content-Type': LINES_TYPE,
      'X-SEERAPI-Key': this.world.secrets.reader,
    }
    const line = Buffer.from(`${JSON.stringify(this.#bodyOf(name))}\n`)
    const begin = () => {
      const body = new ReadableStream<Uint8Array>({ start: (sender) => sender.enqueue(line) })
      const request = { method: 'POST', headers, body, duplex: 'half' } as const
      return this.world.app.request(this.filled(name).split(' ')[1] ?? '', request)
    }
    const begun = await Promise.all(Array.from({ length: MAX_BATCHES }, begin))
    expect(begun.map(({ status }) => status)).toEqual(begun.map(() => 200))
    await this.refuses(name, 503, { body: '{}', headers }, { names: {} })
    await Promise.all(begun.map(({ body }) => body?.cancel()))
  }

  #testNames(): void {
    const { repeatable = [] } = this.#table
    const onlyOnce = ({ queries }: Operation) =>
      queries.findLast((one) => !repeatable.includes(one))
    const queried = this.named((operation) => onlyOnce(operation) !== undefined)
    test.each(queried)('%s: a parameter twice is 400', async (name, operation) => {
      const one = onlyOnce(operation)
      await this.refuses(name, 400, this.#requestOf(operation), { query: `${one}=a&${one}=b` })
    })
    const named = this.named(({ has }) => has(404))
    test.each(named)('%s: what is not there is 404', async (name, operation) => {
      const query = this.#table.queryOf?.(name)
      await this.refuses(
        name,
        404,
        this.#requestOf(operation),
        query === undefined ? {} : { query },
      )
    })
  }

  #requestOf({ name, posts }: Operation): Request {
    if (posts === undefined) return {}
    if (posts === TEXT_TYPE) return { body: 'text', headers: { 'Content-Type': TEXT_TYPE } }
    if (posts === XML_TYPE) return { body: '<x/>', headers: { 'Content-Type': XML_TYPE } }
    return { body: this.#bodyOf(name) }
  }

  #bodyOf(name: string): unknown {
    return this.#table.bodyOf?.(name) ?? {}
  }

  /** Tests each role with each operation, using requests without effect (registry.md 7.4). */
  testRoles(): void {
    const { unknown, rolesFor, reads } = this.#table
    describe('roles (registry.md 7.4)', () => {
      test.each(this.named())('%s', async (name, { has, posts }) => {
        const allowed: readonly string[] = ['ADMIN', ...rolesFor(name)]
        for (const who of [...ROLES, 'reader'] as const) {
          const request = { who, ...(posts && { body: [] }) }
          const response = await this.world.ask(this.filled(name, unknown), request)
          await response.text()
          const { status } = response
          const may = !has(403) || allowed.includes(who)
          // These statuses show that the request was examined, and neither carried out nor refused for its role.
          if (may) expect([...(has(403) ? [] : [200]), 400, 404, 409, 412, 415]).toContain(status)
          else expect({ who, status }).toEqual({ who, status: 403 })
        }
      })

      test('every operation that changes something needs one, and no other does', () => {
        for (const { name, has } of this.operations) {
          const changes = !name.startsWith('GET') && !reads.test(name)
          expect({ name, has: has(403) }).toEqual({ name, has: changes })
        }
      })
    })
  }

  /**
   * Called last: checks that exactly the declared statuses were seen, and that contents of requests were kept
   * out of log and metrics.
   * @param unsaid - must not be in them
   * @param said - the pattern of a path that must be, to show that they are looked at
   */
  testSeen({ unsaid, said }: { readonly unsaid: RegExp; readonly said: string }): void {
    describe('in the end', () => {
      test('every status that the routes speak of was seen', () => {
        const told = this.operations.flatMap(({ name, statuses }) =>
          statuses.map((status) => `${name} ${status}`),
        )
        expect(told.length).toBeGreaterThan(0)
        expect(told.filter((one) => !this.#covered.has(one))).toEqual([])
        expect([...this.#covered].filter((one) => !told.includes(one))).toEqual([])
      })

      test('neither log nor metrics name what was asked or posted, or a key', async () => {
        const metrics = await (await this.world.app.request('/metrics')).text()
        const told = withoutMeasured(this.world.lines, metrics)
        expect(told).toContain(said)
        expect(told).not.toMatch(unsaid)
        for (const secret of Object.values(this.world.secrets)) expect(told).not.toContain(secret)
      })
    })
  }
}

/** Removes times, sizes and ids from log and metrics, because they may contain any digits. */
function withoutMeasured(lines: readonly string[], metrics: string): string {
  const drawn = new Set(['requestId', 'time', 'bytes', 'milliseconds'])
  const kept = lines.map((line) =>
    JSON.stringify(JSON.parse(line), (name, value: unknown) =>
      drawn.has(name) ? undefined : value,
    ),
  )
  return [...kept, metrics.replace(/ [\d.e+-]+$/gm, '')].join('\n')
}

const pathOf = (target: string) => (target.split(' ')[1] ?? '').replace(/\?.*/, '')
