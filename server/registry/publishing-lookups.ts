import { z } from '@hono/zod-openapi'
import {
  type Disease,
  diseaseOfYear,
  GLOSSARY_CATEGORIES,
  type PrimaryComparison,
  type PublishingArea,
  primarySite,
  primarySites,
  type Rx,
  regimensOf,
  SITE_CATEGORIES,
  type TermFinder,
  withReportable,
} from '../../engine/registry/index.ts'
import { DISEASE, readYear } from '../../engine/registry/internal.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { answered, defineOperation } from './operation.ts'
import { type AreaModule, NO_RECORD, NO_VERSION, ofRecord, ofVersion } from './publishing-areas.ts'
import * as shapes from './publishing-shapes.ts'
import { listParameter } from './query-parameters.ts'

// Endpoints that only one of the areas has.

/** Endpoint for the regimens of a drug. */
export function rxLookups(
  { keys, shapes: { record } }: AreaModule,
  rx: Pick<PublishingArea<Rx>, 'record' | 'matching'>,
): readonly Endpoint[] {
  return Object.freeze([
    defineOperation(keys, 'rx', {
      method: 'GET',
      path: '/rest/rx/{version}/id/{id}/regimens',
      pathParameters: ofRecord,
      summary: 'The regimens that a drug is part of',
      success: [200, z.array(record)],
      failures: { 404: NO_RECORD },
      handle: ({ caller, path }) => regimensOf(rx, caller, path.version, path.id),
    }),
  ])
}

/** Endpoint that finds glossary terms in a text. */
export function glossaryLookups(
  { keys }: AreaModule,
  terms: Pick<TermFinder, 'find'>,
): readonly Endpoint[] {
  return Object.freeze([
    defineOperation(keys, 'glossary', {
      method: 'POST',
      path: '/rest/glossary/match',
      pathParameters: z.object({}),
      takesText: true,
      summary: 'The terms of the published glossary in a text',
      description: 'Offsets count UTF-16 units from 0; the end is that of the last character.',
      query: z.object({
        category: listParameter('Terms of any of these; all when not given', GLOSSARY_CATEGORIES),
        wholeWordsOnly: z.enum(['true', 'false']).optional().describe('By default true'),
      }),
      success: [200, shapes.keywordMatches],
      failures: {},
      handle: ({ query: { category, wholeWordsOnly }, body }) =>
        terms.find([String(body)], {
          ...(category && { categories: new Set(category) }),
          wholeWordsOnly: wholeWordsOnly !== 'false',
        }),
    }),
  ])
}

/** Endpoints that list diseases by year, compare diseases, and look up sites. */
export function diseaseLookups(
  module: AreaModule,
  disease: Pick<PublishingArea<Disease>, 'record'>,
  primaries: Pick<PrimaryComparison, 'compare'>,
): readonly Endpoint[] {
  const { keys } = module
  const { record, part } = module.shapes
  const morphology = z.string().optional().describe('Required, such as 9840/3')
  const year = z.string().optional().describe('Of diagnosis; needed')
  return Object.freeze([
    defineOperation(keys, 'disease', {
      method: 'GET',
      path: '/rest/disease/{version}/id/{id}/{year}',
      pathParameters: ofRecord.extend({ year: z.string() }),
      summary: 'A disease, restricted to a year of diagnosis',
      success: [200, record],
      revalidates: true,
      failures: { 400: 'The year is none.', 404: NO_RECORD },
      async handle({ caller, path }) {
        const year = readYear(path.year, 'year')
        const { record, revision } = await disease.record(caller, path.version, path.id)
        const showsMore = record.history !== undefined
        return answered(diseaseOfYear(record, year), { revision, showsMore })
      },
    }),
    defineOperation(keys, 'disease', {
      method: 'GET',
      path: '/rest/disease/{version}/same_primary',
      pathParameters: ofVersion,
      summary: 'Whether two diseases are the same primary',
      query: z.object({ d1: morphology, d2: morphology, year1: year, year2: year }),
      success: [200, shapes.samePrimaries],
      failures: { 404: NO_VERSION },
      handle: ({ caller, path, query }) => primaries.compare(caller, path.version, query),
    }),
    defineOperation(keys, 'disease', {
      method: 'POST',
      path: '/rest/disease/reportability',
      pathParameters: z.object({}),
      body: part,
      summary: 'The years in which a disease is reportable',
      description: 'From type, codes with their years, valid years and sites; nothing is stored.',
      success: [200, part],
      failures: {},
      handle: ({ body }) => withReportable(DISEASE.parsePart(body)),
    }),
    ...siteLookups(module),
  ])
}

function siteLookups({ keys }: AreaModule): Endpoint[] {
  const path = '/rest/disease/primary_site'
  return [
    defineOperation(keys, 'disease', {
      method: 'GET',
      path,
      pathParameters: z.object({}),
      summary: 'All primary sites',
      success: [200, shapes.primarySites],
      failures: {},
      handle: () => primarySites(),
    }),
    defineOperation(keys, 'disease', {
      method: 'GET',
      path: `${path}/{code}`,
      pathParameters: z.object({ code: z.string() }),
      summary: 'Name of a primary site',
      success: [200, shapes.primarySites],
      failures: { 404: 'There is no such site.' },
      handle: ({ path }) => primarySite(path.code),
    }),
    defineOperation(keys, 'disease', {
      method: 'GET',
      path: '/rest/disease/site_categories',
      pathParameters: z.object({}),
      summary: 'Groups of primary sites',
      success: [200, shapes.siteCategories],
      failures: {},
      handle: () => SITE_CATEGORIES,
    }),
  ]
}
