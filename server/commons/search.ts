import { z } from '@hono/zod-openapi'
import type { Commons, Dataset, Mapping } from '../../engine/commons/index.ts'
import { EngineError } from '../../engine/shared/index.ts'
import type { Config } from '../config.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { originOf } from '../http/origin.ts'
import { prepare } from '../http/prepared.ts'
import { answer, type Serving } from './release-answer.ts'
import {
  listResponses,
  mappedFieldsResponses,
  mappingResponses,
  recordResponses,
} from './search-answers.ts'
import {
  acceptedFormat,
  checkPaging,
  lookupParameters,
  recordParameters,
  requiredQuery,
  searchParameters,
} from './search-parameters.ts'

export interface SearchEngine extends Pick<Commons, 'clock' | 'datasets' | 'releaseFacts'> {
  readonly search: Pick<Commons['search'], 'lookup' | 'mapping' | 'record' | 'search'>
}

interface SearchServing extends Serving {
  readonly engine: SearchEngine
  readonly config: Pick<Config, 'host' | 'port' | 'trustedProxies'>
}

/** Endpoints of every dataset (data-commons-service.md 4.2, data-commons.md 2 to 4). */
export function searchEndpoints(
  engine: SearchEngine,
  build: string,
  config: SearchServing['config'],
): readonly Endpoint[] {
  const serving = { engine, build, config }
  return Object.freeze([
    ...engine.datasets.flatMap((dataset) => [
      listEndpoint(dataset, serving),
      recordEndpoint(dataset, serving),
      lookupEndpoint(dataset, serving),
      mappingEndpoint(dataset, engine),
      // The portal's clinical plots request cases under this path too.
      ...(dataset.name === 'cases' ? [listEndpoint(dataset, serving, '/case_ssms')] : []),
    ]),
    mappedFieldsEndpoint(engine),
  ])
}

function listEndpoint({ name }: Dataset, serving: SearchServing, path = `/${name}`): Endpoint {
  return defineEndpoint({
    methods: ['GET', 'POST'],
    path,
    summary: path === `/${name}` ? `Search ${wordsOf(name)}` : `The same as /${name}`,
    tags: ['search'],
    compress: true,
    parameters: searchParameters,
    responses: listResponses,
    async handle(call) {
      const input = await call.input()
      const { filters, case_filters: caseFilters, size, from, pretty } = input
      const { fields, expand, facets, histograms, sort, return_type: returnType } = input
      const format = input.format ?? acceptedFormat(call.headers.get('accept'))
      if (returnType === undefined) checkPaging(input)
      const selected = { fields, expand, facets, histograms, sort }
      const { host } = new URL(originOf(call.headers, serving.config))
      const drsHost = returnType === 'drs_manifest' ? host : undefined
      const shown = { size, from, format, pretty, isBare: input.attachment, returnType, drsHost }
      const isSheet = input.tsv_format === 'sample-sheet'
      const request = { filters, caseFilters, ...selected, ...shown, ...(isSheet && { isSheet }) }
      return answer(call, serving, {
        key: path,
        input: { ...input, format, ...(drsHost !== undefined && { drsHost }) },
        fileName: returnType === undefined ? `${name}.${format}` : undefined,
        release: input.release,
        run: (run) => serving.engine.search.search(name, request, run),
      })
    },
  })
}

/** Names of other endpoints, found in the place of a record id in paths. No record has such an id. */
const RESERVED = /^(_.*|ids|versions)$/

function recordEndpoint({ name, noun, idField }: Dataset, serving: SearchServing): Endpoint {
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
        release: input.release,
        run: (run) => serving.engine.search.record(name, id, request, run),
      })
    },
  })
}

function lookupEndpoint({ name }: Dataset, serving: SearchServing): Endpoint {
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
      const request = { query, size, from, format, pretty, isBare: input.attachment }
      return answer(call, serving, {
        key: `/${name}/ids`,
        input: { ...input, format },
        fileName: `${name}.${format}`,
        release: input.release,
        run: (run) => serving.engine.search.lookup(name, request, run),
      })
    },
  })
}

/** Endpoint for the mapping of a dataset, built once because some clients request it before every search. */
function mappingEndpoint({ name }: Dataset, engine: SearchEngine): Endpoint {
  const plain = prepare('application/json', () => JSON.stringify(engine.search.mapping(name)))
  const pretty = prepare('application/json', () =>
    JSON.stringify(engine.search.mapping(name), null, 2),
  )
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

/** Endpoint for the fields of cases and files, from which the portal builds its facet cards. */
function mappedFieldsEndpoint({ search }: SearchEngine): Endpoint {
  const fields = prepare('application/json', () => {
    const all = [search.mapping('cases'), search.mapping('files')].map(({ _mapping }) => _mapping)
    return JSON.stringify(Object.assign({}, ...all.map(withUnits)))
  })
  return defineEndpoint({
    methods: ['GET'],
    path: '/gql/_mapping',
    summary: 'Fields of cases and files',
    tags: ['search'],
    compress: true,
    responses: mappedFieldsResponses,
    handle: async ({ send }) => send(fields()),
  })
}

/** Fields with ages in years. The portal shows other ages in days unless their description has the word year. */
const IN_YEARS: ReadonlySet<string> = new Set([
  'age_at_index',
  'age_at_last_exposure',
  'age_at_onset',
  'relationship_age_at_diagnosis',
])

const withUnits = (mapping: Mapping['_mapping']): Mapping['_mapping'] =>
  Object.fromEntries(
    Object.entries(mapping).map(([full, entry]) => {
      const isInYears = IN_YEARS.has(entry.field.slice(entry.field.lastIndexOf('.') + 1))
      return [full, isInYears ? { ...entry, description: 'Age in years' } : entry]
    }),
  )

/**
 * Converts a dataset name to words.
 * @example wordsOf('ssm_occurrences') // 'ssm occurrences'
 */
const wordsOf = (name: string) => name.replaceAll('_', ' ')
