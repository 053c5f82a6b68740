import { z } from '@hono/zod-openapi'
import { GLOSSARY_CATEGORIES } from '../../engine/registry/index.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { answered, changedSince, defineOperation } from './operation.ts'
import { flag, historyQuery, historyRequest, listParameter } from './query-parameters.ts'
import type { StagingEngine } from './staging-engine.ts'
import { comment, NO_VERSION, ofEntity, ofVersion, STAGING, TAG } from './staging-names.ts'
import * as shapes from './staging-shapes.ts'

const VERSION = `${STAGING}/{algorithm}/{version}`
const NEEDS_EDITOR = { role: 'STAGING_EDITOR' } as const

const q = z.string().optional().describe('Part of an id, name or title, in any case')

const glossaryLookup = z.object({
  category: listParameter(
    'Repeated or with commas; STAGING and GENERAL when not given',
    GLOSSARY_CATEGORIES,
  ),
  wholeWordsOnly: flag.optional().describe('By default true'),
})

/** Schemas that differ between schemas and tables. */
const SHAPES = {
  schema: { entity: shapes.schema, history: shapes.schemaHistory },
  table: { entity: shapes.table, history: shapes.tableHistory },
} as const

/** Endpoints that list, read and edit schemas and tables, with their histories and parts. */
export function entityOperations(engine: StagingEngine): readonly Endpoint[] {
  return Object.freeze([
    ...listOperations(engine),
    ...editOperations(engine, 'schema'),
    ...editOperations(engine, 'table'),
    ...historyOperations(engine, 'schema'),
    ...historyOperations(engine, 'table'),
  ])
}

function listOperations({ keys, staging }: StagingEngine): Endpoint[] {
  return [
    defineOperation(keys, TAG, {
      method: 'GET',
      path: `${VERSION}/schemas`,
      pathParameters: ofVersion,
      summary: 'The schemas of a version, by id',
      query: z.object({ q }),
      success: [200, z.array(shapes.schemaProjection)],
      failures: { 404: NO_VERSION },
      handle: ({ caller, path, query }) => staging.version(caller, path).schemas(query),
    }),
    defineOperation(keys, TAG, {
      method: 'GET',
      path: `${VERSION}/tables`,
      pathParameters: ofVersion,
      summary: 'The tables of a version, by id',
      query: z.object({
        q,
        unused: flag.optional().describe('true: only tables that no schema uses'),
      }),
      success: [200, z.array(shapes.tableProjection)],
      failures: { 404: NO_VERSION },
      handle: ({ caller, path, query }) => staging.version(caller, path).tables(query),
    }),
    defineOperation(keys, TAG, {
      method: 'GET',
      path: `${VERSION}/schema/{id}/tables`,
      pathParameters: ofEntity,
      summary: 'The tables that a schema uses',
      success: [200, z.array(shapes.tableProjection)],
      failures: { 404: 'The schema does not exist.' },
      handle: ({ caller, path }) => staging.version(caller, path).tablesOfSchema(path.id),
    }),
    defineOperation(keys, TAG, {
      method: 'GET',
      path: `${VERSION}/table/{id}/schemas`,
      pathParameters: ofEntity,
      summary: 'The schemas that use a table',
      success: [200, z.array(shapes.schemaProjection)],
      failures: { 404: 'The table does not exist.' },
      handle: ({ caller, path }) => staging.version(caller, path).schemasOfTable(path.id),
    }),
    defineOperation(keys, TAG, {
      method: 'POST',
      path: `${VERSION}/batch`,
      pathParameters: ofVersion,
      ...NEEDS_EDITOR,
      summary: 'Store and delete several schemas and tables: all or none',
      query: comment,
      body: shapes.batch,
      success: [200, shapes.batchResult],
      failures: { 400: 'Something in it is not valid; nothing was stored.', 404: NO_VERSION },
      handle: ({ caller, path, query, body }) =>
        staging.editableVersion(caller, path, query).batch(body),
    }),
  ]
}

function editOperations({ keys, staging }: StagingEngine, kind: 'schema' | 'table'): Endpoint[] {
  const shape = SHAPES[kind]
  const path = `${VERSION}/${kind}/{id}`
  const missing = `The ${kind} does not exist.`
  const changed = changedSince(kind)
  return [
    defineOperation(keys, TAG, {
      method: 'POST',
      path: `${VERSION}/${kind}`,
      pathParameters: ofVersion,
      ...NEEDS_EDITOR,
      summary: `Create a ${kind}`,
      query: comment,
      body: shape.entity,
      success: [201, shape.entity],
      failures: { 400: `The ${kind} exists already, or is not valid.`, 404: NO_VERSION },
      async handle({ caller, path, query, body }) {
        const edit = staging.editableVersion(caller, path, query)
        const { record, ...at } = await edit.createEntity(kind, body)
        return answered(record, at)
      },
    }),
    defineOperation(keys, TAG, {
      method: 'GET',
      path,
      pathParameters: ofEntity,
      summary: `One ${kind}`,
      description: 'An edit can send the ETag as If-Match.',
      success: [200, shape.entity],
      revalidates: true,
      failures: { 404: missing },
      async handle({ caller, path }) {
        const { record, ...at } = await staging.version(caller, path).entity(kind, path.id)
        return answered(record, at)
      },
    }),
    defineOperation(keys, TAG, {
      method: 'PUT',
      path,
      pathParameters: ofEntity,
      ...NEEDS_EDITOR,
      summary: `Update a ${kind}`,
      query: comment,
      body: shape.entity,
      success: [200, shape.entity],
      failures: { 400: `The ${kind} is not valid.`, 404: missing, 412: changed },
      async handle({ caller, path, query, body, held }) {
        const edit = staging.editableVersion(caller, path, query)
        const { record, ...at } = await edit.updateEntity(kind, path.id, body, held)
        return answered(record, at)
      },
    }),
    defineOperation(keys, TAG, {
      method: 'DELETE',
      path,
      pathParameters: ofEntity,
      ...NEEDS_EDITOR,
      summary: `Delete a ${kind}`,
      query: comment,
      success: [204],
      failures: {
        400: kind === 'table' ? 'A schema uses the table.' : 'A parameter is not accepted.',
        404: missing,
        412: changed,
      },
      handle: ({ caller, path, query, held }) =>
        staging.editableVersion(caller, path, query).deleteEntity(kind, path.id, held),
    }),
    defineOperation(keys, TAG, {
      method: 'GET',
      path: `${path}/glossary`,
      pathParameters: ofEntity,
      summary: `Glossary terms in the texts of a ${kind}`,
      query: glossaryLookup,
      success: [200, z.array(shapes.keywordMatch)],
      failures: { 400: 'A parameter is not accepted.', 404: missing },
      handle: ({ caller, path, query }) =>
        staging.version(caller, path).entityGlossary(kind, path.id, query),
    }),
  ]
}

function historyOperations({ keys, staging }: StagingEngine, kind: 'schema' | 'table'): Endpoint[] {
  const shape = SHAPES[kind]
  const path = `${VERSION}/${kind}/{id}`
  const missing = `The ${kind} does not exist.`
  const changed = changedSince(kind)
  return [
    defineOperation(keys, TAG, {
      method: 'GET',
      path: `${VERSION}/${kind}s/history`,
      pathParameters: ofVersion,
      summary: `The history of the ${kind}s of a version`,
      isLarge: true,
      query: historyQuery,
      success: [200, z.array(shape.history)],
      failures: { 404: NO_VERSION },
      async handle({ caller, path, query }) {
        const version = staging.version(caller, path)
        const entries = await version.entityHistory(kind, historyRequest(query))
        return answered(entries, { total: await version.countHistory(kind) })
      },
    }),
    defineOperation(keys, TAG, {
      method: 'GET',
      path: `${path}/history`,
      pathParameters: ofEntity,
      summary: `The history of a ${kind}`,
      isLarge: true,
      query: historyQuery,
      success: [200, z.array(shape.history)],
      failures: { 404: missing },
      async handle({ caller, path, query }) {
        const version = staging.version(caller, path)
        const request = { id: path.id, ...historyRequest(query) }
        const entries = await version.entityHistory(kind, request)
        return answered(entries, { total: await version.countHistory(kind, path.id) })
      },
    }),
    defineOperation(keys, TAG, {
      method: 'POST',
      path: `${path}/restore`,
      pathParameters: ofEntity,
      ...NEEDS_EDITOR,
      summary: `Restore a ${kind} to its state after an entry of its history`,
      description: 'This adds an entry to the history. A deleted one is restored.',
      query: comment,
      body: shapes.restore,
      success: [200, shape.entity],
      failures: {
        400: `The history of the ${kind} has no such state, or it is not valid any more.`,
        404: missing,
        412: changed,
      },
      async handle({ caller, path, query, body, held }) {
        const edit = staging.editableVersion(caller, path, query)
        const { record, ...at } = await edit.restoreEntity(kind, path.id, body, held)
        return answered(record, at)
      },
    }),
  ]
}
