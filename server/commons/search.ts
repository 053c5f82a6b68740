import { z } from '@hono/zod-openapi'
import {
  type BodyFormat,
  type Dataset,
  type Engine,
  EngineError,
  type SearchAnswer,
} from '../../engine/index.ts'
import { attachment } from '../http/disposition.ts'
import { type Call, defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { etagOf } from '../http/etag.ts'
import { prepare } from '../http/prepared.ts'
import { canonicalJson } from './canonical-json.ts'
import { listResponses, mappingResponses, recordResponses } from './search-answers.ts'
import {
  acceptedFormat,
  checkPaging,
  lookupParameters,
  recordParameters,
  requiredQuery,
  searchParameters,
} from './search-parameters.ts'

export type SearchEngine = Pick<
  Engine,
  'clock' | 'datasets' | 'lookup' | 'mapping' | 'record' | 'releaseFacts' | 'search'
>

/** The endpoints of every dataset (001 4.2, contract 2 to 4). */
export function searchEndpoints(engine: SearchEngine, build: string): readonly Endpoint[] {
  const serving = { engine, build }
  return Object.freeze(
    engine.datasets.flatMap((dataset) => [
      listEndpoint(dataset, serving),
      recordEndpoint(dataset, serving),
      lookupEndpoint(dataset, serving),
      mappingEndpoint(dataset, engine),
    ]),
  )
}

interface Serving {
  readonly engine: SearchEngine
  /** Names the running version: the same request may be answered otherwise by the next. */
  readonly build: string
}

function listEndpoint({ name }: Dataset, serving: Serving): Endpoint {
  return defineEndpoint({
    methods: ['GET', 'POST'],
    path: `/${name}`,
    summary: `Search ${wordsOf(name)}`,
    tags: ['search'],
    compress: true,
    parameters: searchParameters,
    responses: listResponses,
    async handle(call) {
      const input = await call.input()
      const { filters, case_filters: caseFilters, size, from, pretty } = input
      const { fields, expand, facets, sort, return_type: returnType } = input
      const format = input.format ?? acceptedFormat(call.headers.get('accept'))
      if (returnType === undefined) checkPaging(input)
      const selected = { fields, expand, facets, sort }
      const request = { filters, caseFilters, ...selected, size, from, format, pretty, returnType }
      return answer(call, serving, {
        key: `/${name}`,
        input: { ...input, format },
        fileName: returnType === undefined ? `${name}.${format}` : undefined,
        run: (signal) => serving.engine.search(name, request, { signal }),
      })
    },
  })
}

/** Names of endpoints beside the records of a dataset, which no record's id can be. */
const RESERVED = /^(_.*|ids|versions)$/

function recordEndpoint({ name, noun, idField }: Dataset, serving: Serving): Endpoint {
  return defineEndpoint({
    methods: ['GET', 'POST'],
    path: `/${name}/{${idField}}`,
    summary: `One ${noun}`,
    tags: ['search'],
    compress: true,
    pathParameters: z.object({ [idField]: z.string() }),
    parameters: recordParameters,
    responses: recordResponses,
    async handle(call) {
      const id = call.path[idField] ?? ''
      if (RESERVED.test(id)) throw new EngineError('not_found', 'there is nothing at this path')
      const input = await call.input()
      const format = input.format ?? acceptedFormat(call.headers.get('accept'))
      const { fields, expand, pretty } = input
      const request = { fields, expand, format, pretty }
      return answer(call, serving, {
        key: `/${name}/${id}`,
        input: { ...input, format },
        fileName: `${id}.${format}`,
        run: (signal) => serving.engine.record(name, id, request, { signal }),
      })
    },
  })
}

function lookupEndpoint({ name }: Dataset, serving: Serving): Endpoint {
  return defineEndpoint({
    methods: ['GET'],
    path: `/${name}/ids`,
    summary: `Find ${wordsOf(name)} by the start of an id or name`,
    tags: ['search'],
    compress: true,
    parameters: lookupParameters,
    responses: listResponses,
    async handle(call) {
      const input = await call.input()
      const { size, from, pretty } = input
      const format = input.format ?? acceptedFormat(call.headers.get('accept'))
      const query = requiredQuery(input)
      checkPaging(input)
      const request = { query, size, from, format, pretty }
      return answer(call, serving, {
        key: `/${name}/ids`,
        input: { ...input, format },
        fileName: `${name}.${format}`,
        run: (signal) => serving.engine.lookup(name, request, { signal }),
      })
    },
  })
}

/** Some clients ask for this before every request: it is made once and kept. */
function mappingEndpoint({ name }: Dataset, engine: SearchEngine): Endpoint {
  const plain = prepare('application/json', () => JSON.stringify(engine.mapping(name)))
  const pretty = prepare('application/json', () => JSON.stringify(engine.mapping(name), null, 2))
  return defineEndpoint({
    methods: ['GET'],
    path: `/${name}/_mapping`,
    summary: `Fields, groups and defaults of ${wordsOf(name)}`,
    tags: ['search'],
    compress: true,
    parameters: recordParameters.pick({ pretty: true }),
    responses: mappingResponses,
    handle: async ({ input, send }) => send((await input()).pretty ? pretty() : plain()),
  })
}

interface Asked {
  /** With the input, what tells this request from all others. */
  readonly key: string
  readonly input: {
    readonly format: BodyFormat
    readonly attachment: boolean
    readonly filename?: string | undefined
  }
  /** Name for the client's disk; a download manifest has one that tells the time. */
  readonly fileName: string | undefined
  readonly run: (signal: AbortSignal) => Promise<SearchAnswer>
}

async function answer(
  call: Call<unknown, unknown>,
  { engine, build }: Serving,
  { key, input, fileName, run }: Asked,
): Promise<Response> {
  const canonical = call.isRead ? canonicalJson(input) : ''
  const etag = (release: string) => etagOf([build, release, key, canonical])
  const headers = { 'Cache-Control': 'no-cache', Vary: 'Accept, Accept-Encoding' }
  const release = engine.releaseFacts()?.id
  const unchanged = release === undefined ? undefined : call.unchanged(etag(release), headers)
  if (unchanged !== undefined) return unchanged
  const found = await run(call.signal)
  const name = input.filename ?? fileName ?? manifestName(engine.clock())
  const isFile = input.attachment || fileName === undefined
  return call.stream({
    status: 200,
    headers: {
      ...headers,
      'Content-Type': found.contentType,
      // Not of the release asked above: another may have come since.
      ...(call.isRead ? { ETag: etag(found.releaseId) } : {}),
      ...(isFile ? { 'Content-Disposition': attachment(name) } : {}),
    },
    body: found.body,
    ...(found.length === undefined ? {} : { length: found.length }),
    close: () => found.close(),
  })
}

/** @example manifestName(new Date('2025-01-02T03:04:05Z')) // 'manifest_20250102_030405.txt' */
function manifestName(time: Date): string {
  const [date = '', clock = ''] = time.toISOString().replace(/[-:]/g, '').split(/[T.]/)
  return `manifest_${date}_${clock}.txt`
}

/** @example wordsOf('ssm_occurrences') // 'ssm occurrences' */
const wordsOf = (name: string) => name.replaceAll('_', ' ')
