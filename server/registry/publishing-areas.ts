import { z } from '@hono/zod-openapi'
import type { EditRequest, PublishingArea, RecordContent } from '../../engine/registry/index.ts'
import type { PublishingDefinition } from '../../engine/registry/internal.ts'
import type { Caller, KeyStore } from '../../engine/shared/index.ts'
import { requireParameter } from '../../engine/shared/internal.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { answered, changedSince, defineOperation } from './operation.ts'
import {
  changelogQuery,
  described,
  keywordQuery,
  searchQuery,
  searchRequest,
  withGlossary,
} from './publishing-queries.ts'
import * as shapes from './publishing-shapes.ts'

type ServedArea = Pick<
  PublishingArea<RecordContent>,
  Exclude<keyof PublishingArea<RecordContent>, 'contents' | 'load'>
>

/** A publishing area: its definition, records and schemas. */
export interface AreaModule {
  readonly keys: Pick<KeyStore, 'verify'>
  readonly definition: PublishingDefinition
  readonly records: ServedArea
  readonly shapes: ReturnType<typeof shapes.recordShapes>
}

export const ofVersion = z.object({
  version: z.string().describe('`latest`, or for editors `development` or a BETA version'),
})
export const ofRecord = ofVersion.extend({ id: z.string() })
export const NO_VERSION = 'The version does not exist.'
export const NO_RECORD = 'The version or the record does not exist.'

const NO_CHANGE = 'The record does not exist, or the version is not `development`.'
const CHANGED = changedSince('record')

/** Endpoints that every area has (registry-service.md 4.2, registry.md 2.2). */
export function areaOperations(module: AreaModule): readonly Endpoint[] {
  return Object.freeze([
    ...versionOperations(module),
    ...readOperations(module),
    ...writeOperations(module),
    ...productionOperations(module),
  ])
}

const placeOf = ({ definition }: AreaModule) => `/rest/${definition.area}`
const roleOf = ({ definition }: AreaModule) => ({ role: definition.editor })

function versionOperations(module: AreaModule): Endpoint[] {
  const { keys, records, definition } = module
  const path = `${placeOf(module)}/versions`
  const named = z.object({
    name: z.string().optional().describe('Required. Name of the BETA version'),
  })
  return [
    defineOperation(keys, definition.area, {
      method: 'GET',
      path,
      pathParameters: z.object({}),
      summary: 'The versions that the caller can read',
      success: [200, z.array(shapes.publishedVersion)],
      failures: {},
      handle: ({ caller }) => records.versions(caller),
    }),
    defineOperation(keys, definition.area, {
      method: 'POST',
      path: `${path}/create`,
      pathParameters: z.object({}),
      ...roleOf(module),
      summary: 'Create a BETA version, a copy of production',
      query: named,
      success: [201, shapes.publishedVersion],
      failures: { 400: 'The name is missing, no name, or given already.' },
      handle: ({ caller, query }) =>
        records.createVersion(caller, requireParameter(query.name, 'name')),
    }),
    defineOperation(keys, definition.area, {
      method: 'DELETE',
      path: `${path}/delete`,
      pathParameters: z.object({}),
      ...roleOf(module),
      summary: 'Delete a BETA version',
      query: named,
      success: [204],
      failures: { 400: 'The name is missing, or is none of a BETA version.', 404: NO_VERSION },
      handle: ({ caller, query }) =>
        records.deleteVersion(caller, requireParameter(query.name, 'name')),
    }),
  ]
}

function readOperations(module: AreaModule): Endpoint[] {
  const { keys, records, definition } = module
  const path = `${placeOf(module)}/{version}`
  return [
    defineOperation(keys, definition.area, {
      method: 'GET',
      path,
      pathParameters: ofVersion,
      summary: 'Search a version',
      isLarge: true,
      query: searchQuery(definition),
      success: [200, module.shapes.results],
      failures: { 404: NO_VERSION },
      handle: ({ caller, path, query }) =>
        records.search(caller, path.version, searchRequest(definition, query)),
    }),
    defineOperation(keys, definition.area, {
      method: 'GET',
      path: `${path}/id/{id}`,
      pathParameters: ofRecord,
      summary: 'One record',
      isLarge: true,
      description: 'An edit can send the ETag as If-Match.',
      query: z.object(withGlossary),
      success: [200, module.shapes.record],
      revalidates: true,
      failures: { 404: NO_RECORD },
      async handle({ caller, path, query }) {
        const { record, revision } = await records.record(caller, path.version, path.id, query)
        // The revision covers neither the glossary terms nor the history, so a 304 could be wrong.
        const showsMore = query.glossary === true || record.history !== undefined
        return answered(record, { revision, showsMore })
      },
    }),
    defineOperation(keys, definition.area, {
      method: 'GET',
      path: `${path}/changelog`,
      pathParameters: ofVersion,
      summary: 'The changelog of a version',
      isLarge: true,
      query: changelogQuery,
      success: [200, module.shapes.changelog],
      failures: { 404: NO_VERSION },
      handle: ({ caller, path, query }) => records.changelog(caller, path.version, query),
    }),
    defineOperation(keys, definition.area, {
      method: 'GET',
      path: `${path}/keywords`,
      pathParameters: ofVersion,
      summary: 'The words of a version, with the number of records for each',
      query: keywordQuery,
      success: [200, shapes.keywords],
      failures: { 404: NO_VERSION },
      handle: ({ caller, path, query }) => records.keywords(caller, path.version, query),
    }),
    defineOperation(keys, definition.area, {
      method: 'GET',
      path: `${path}/status_summary`,
      pathParameters: ofVersion,
      summary: 'The number of records of a version by type and status',
      success: [200, shapes.statusSummary],
      failures: { 404: NO_VERSION },
      handle: ({ caller, path }) => records.statusSummary(caller, path.version),
    }),
  ]
}

function writeOperations(module: AreaModule): Endpoint[] {
  const { keys, records, definition } = module
  const path = `${placeOf(module)}/{version}`
  return [
    defineOperation(keys, definition.area, {
      method: 'POST',
      path: `${path}/create`,
      pathParameters: ofVersion,
      body: module.shapes.posted,
      ...roleOf(module),
      summary: 'Create a record in development',
      success: [201, module.shapes.record],
      failures: { 400: 'The record is not valid, or its id is given already.', 404: NO_VERSION },
      async handle({ caller, path, body }) {
        const { record, revision } = await records.create(caller, path.version, body)
        return answered(record, { revision })
      },
    }),
    defineOperation(keys, definition.area, {
      method: 'PUT',
      path: `${path}/update`,
      pathParameters: ofVersion,
      body: module.shapes.posted,
      ...roleOf(module),
      summary: 'Change a record in development',
      success: [201, module.shapes.record],
      failures: { 400: 'The record is not valid, or is unknown.', 404: NO_VERSION, 412: CHANGED },
      async handle({ caller, path, body, held }) {
        const { record, revision } = await records.update(caller, path.version, body, { held })
        return answered(record, { revision })
      },
    }),
    defineOperation(keys, definition.area, {
      method: 'PUT',
      path: `${path}/reset/{id}`,
      pathParameters: ofRecord,
      ...roleOf(module),
      summary: 'Reset a record in development to its published state',
      success: [204],
      failures: { 400: NO_CHANGE, 404: NO_VERSION, 412: CHANGED },
      async handle({ caller, path, held }) {
        const revision = await records.reset(caller, path.version, path.id, { held })
        return answered(undefined, { revision })
      },
    }),
    defineOperation(keys, definition.area, {
      method: 'DELETE',
      path: `${path}/delete/{id}`,
      pathParameters: ofRecord,
      ...roleOf(module),
      summary: 'Delete a record, in development and in production',
      query: described,
      success: [204],
      failures: { 400: NO_CHANGE, 404: NO_VERSION, 412: CHANGED },
      handle: ({ caller, path, query, held }) =>
        records.delete(caller, path.version, path.id, { ...query, held }),
    }),
  ]
}

function productionOperations(module: AreaModule): Endpoint[] {
  const { keys, records, definition } = module
  const path = `${placeOf(module)}/{version}`
  type EditArguments = [caller: Caller, version: string, id: string, request: EditRequest]
  type Turn = (...given: EditArguments) => Promise<number>
  const turned = (action: 'hide' | 'unhide', summary: string, turn: Turn) =>
    defineOperation(keys, definition.area, {
      method: 'POST',
      path: `${path}/${action}/{id}`,
      pathParameters: ofRecord,
      ...roleOf(module),
      summary,
      query: described,
      success: [204],
      failures: { 400: `${NO_CHANGE} Or it was never published.`, 404: NO_VERSION, 412: CHANGED },
      async handle({ caller, path, query, held }) {
        const revision = await turn(caller, path.version, path.id, { ...query, held })
        return answered(undefined, { revision })
      },
    })
  return [
    turned('hide', 'Hide a published record', (...given) => records.hide(...given)),
    turned('unhide', 'Show a hidden record again', (...given) => records.unhide(...given)),
    defineOperation(keys, definition.area, {
      method: 'POST',
      path: `${path}/publish`,
      pathParameters: ofVersion,
      body: shapes.publishInfo,
      ...roleOf(module),
      summary: 'Publish records: all of them or none',
      success: [204],
      failures: { 400: 'There are no ids, or one is unknown.', 404: NO_VERSION },
      handle: ({ caller, path, body }) => records.publish(caller, path.version, body),
    }),
  ]
}
