import { z } from '@hono/zod-openapi'
import type { Naaccr } from '../../engine/registry/index.ts'
import type { KeyStore } from '../../engine/shared/index.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { defineOperation } from './operation.ts'

export interface NaaccrEngine {
  readonly keys: Pick<KeyStore, 'verify'>
  /** The public members: tests pass objects without the private fields of the class. */
  readonly naaccr: Pick<Naaccr, keyof Naaccr>
}

const TAG = 'naaccr'
const PATH = '/rest/naaccr'

const text = z.string().optional()
const version = z.string().describe('Such as 25, or latest')

const versionShape = z
  .object({
    version: z.string(),
    year_implemented: z.int(),
    date_of_publication: z.iso.datetime().optional(),
  })
  .openapi('NaaccrVersion')

const info = z
  .object({
    id: text.describe('Absent for a retired item'),
    item: z.string().describe('Number of the item'),
    name: text,
  })
  .openapi('NaaccrItemInfo')

const html = text.describe('HTML')

const item = z
  .object({
    item_number: z.string(),
    item_name: text,
    item_data_type: text,
    item_length: text,
    year_implemented: text,
    version_implemented: text,
    year_retired: text,
    version_retired: text,
    xml_naaccr_id: text,
    xml_parent_id: text.describe('Patient, Tumor or NaaccrData'),
    record_types: z.array(z.string()).optional(),
    section: text,
    source_of_standard: text,
    date_created: z.iso.datetime().optional(),
    date_modified: z.iso.datetime().optional(),
    description: html,
    general_notes: text,
    clarification: text,
    rationale: html,
    npcr_collect: text,
    coc_collect: text,
    seer_collect: text,
    cccr_collect: text,
    alternate_names: z.array(z.string()).optional(),
    format: text,
    code_note: text,
    code_description: text,
    allowable_values: text,
    allowed_codes: z.array(z.object({ code: z.string(), description: z.string() })).optional(),
  })
  .openapi('NaaccrItem')

const query = z.object({
  q: text.describe('Words, all of which are in the id, the number or a name'),
  version_implemented: text.describe('Only items that came with this version, such as 12.2'),
  count: text.describe('Maximum number of items, from 1; by default all'),
})

/** Endpoints for the documentation of registry file items (registry-lookups.md 3). */
export function naaccrEndpoints({ keys, naaccr }: NaaccrEngine): readonly Endpoint[] {
  return Object.freeze([
    defineOperation(keys, TAG, {
      method: 'GET',
      path: `${PATH}/versions`,
      pathParameters: z.object({}),
      summary: 'Versions with documented items, oldest first',
      success: [200, z.array(versionShape)],
      failures: {},
      handle: () => naaccr.versions(),
    }),
    defineOperation(keys, TAG, {
      method: 'GET',
      path: `${PATH}/{version}`,
      pathParameters: z.object({ version }),
      query,
      summary: 'Items of a version, by number',
      success: [200, z.array(info)],
      failures: { 400: 'The version does not exist, or a parameter is not accepted.' },
      handle: ({ path, query: { q, count, version_implemented: versionImplemented } }) =>
        naaccr.list(path.version, { q, count, versionImplemented }),
    }),
    defineOperation(keys, TAG, {
      method: 'GET',
      path: `${PATH}/{version}/{id}`,
      pathParameters: z.object({ version, id: z.string().describe('Id or number of an item') }),
      summary: 'One item of a version',
      success: [200, item],
      failures: { 404: 'The version or the item does not exist.' },
      handle: ({ path }) => naaccr.item(path.version, path.id),
    }),
  ])
}
