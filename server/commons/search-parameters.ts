import { z } from '@hono/zod-openapi'
import type { BodyFormat } from '../../engine/commons/index.ts'
import { EngineError } from '../../engine/shared/index.ts'
import { listedPreferences } from '../http/preference.ts'
import { count, filter, flag, names, text, word } from './parameter-forms.ts'

/** Maximum of `from` plus `size` (data-commons.md 2.1). */
export const MAX_RECORDS = 100_000_000

const FORMATS: readonly BodyFormat[] = [
  ...(['json', 'tsv', 'csv', 'xml'] as const),
  ...(['ndjson', 'arrow', 'parquet'] as const),
]

const common = {
  format: word('format', FORMATS, {
    description:
      'The form of the answer, in any case. Where it is absent, an `Accept` header that prefers ' +
      'one of these types decides; otherwise JSON.',
    default: 'json',
  }),
  pretty: flag('pretty', { description: 'Indents JSON and XML for reading.' }),
  attachment: flag('attachment', {
    description:
      'Marks the answer as a file to be saved (`Content-Disposition`). A list in JSON is then the array of ' +
      'its records alone, as exports of the public service are.',
  }),
  filename: text('filename', {
    description: 'Name of the file, with `attachment` or for a manifest.',
  }),
}

export const RELEASE = text('release', {
  description:
    'Id of the release to answer from: the current one or the one before it, so that pages fit together ' +
    'although another has come. Each answer names its release by the header `X-Casemill-Release`. 410 for ' +
    'one that is not open any more, or of which something was taken out since.',
})

const selection = {
  fields: names('fields', {
    description:
      'Fields to return, with dots for nesting. Without `fields` and with `expand` the default ' +
      'fields are returned besides. Unknown names are reported under `warnings`.',
  }),
  expand: names('expand', {
    description:
      'Groups whose direct fields are returned, such as `cases.samples`; `summary` of projects and ' +
      'cases brings the groups in it too.',
  }),
}

const paging = {
  size: count('size', 10, {
    description:
      'Most records to return; 0 for none. `from` + `size` may be 100,000,000 at most. Text and ' +
      'forms such as `1e5` are read too.',
  }),
  from: count('from', 0, { description: 'Place of the first record, counted from 0.' }),
}

export const searchParameters = z
  .object({
    filters: filter('filters', {
      description:
        'Which records: `{"op": …, "content": …}`, in a query string as JSON text. Of one field: ' +
        '`{"op": "in", "content": {"field": "access", "value": ["open"]}}`, with the operators ' +
        '`=`, `!=`, `in`, `exclude`, `excludeifany`, `<`, `<=`, `>`, `>=`, `is` (missing), `not` ' +
        '(present) and `range`. Of several: `and`, `or` with an array of filters. Conditions that ' +
        'an `and` puts on one array of objects hold for one and the same of its members. `cases.`, ' +
        '`files.`, `genes.`, `ssms.` and `cnvs.` name fields of related records. `*` in a value ' +
        'stands for any text. At most 32 levels; 65,536 values with 4 MiB of text, together with ' +
        '`case_filters`.',
    }),
    case_filters: filter('case_filters', {
      description: 'A filter on cases that has to hold besides `filters`.',
    }),
    ...selection,
    facets: names('facets', {
      description:
        'Fields to count over all matching records, with how many have each value: `buckets` for ' +
        'texts, `stats` for numbers. Conditions on the field itself are left out.',
    }),
    histograms: names('histograms', {
      description:
        'Fields to count by intervals over all matching records, as `field:interval`: a length for ' +
        'numbers, `year`, `month` or `day` for dates; such as ' +
        '`diagnoses.age_at_diagnosis:3652.5`. At most 1,000 intervals have values.',
    }),
    ...paging,
    sort: names('sort', {
      description: 'Fields to sort by, as `field`, `field:asc` or `field:desc`. Otherwise by id.',
    }),
    return_type: word('return_type', ['manifest', 'drs_manifest'], {
      description:
        'In place of records, a download manifest of all matching files, or of the files of all ' +
        'matching records. `drs_manifest` has the URI of each file as one more column. `size` and ' +
        '`from` are not looked at.',
    }),
    tsv_format: text('tsv_format', {
      description:
        '`sample-sheet` has TSV of `/files` be the sample sheet of the portal, with its own columns: a line per ' +
        'file, with its cases and samples. Anything else is not looked at.',
    }),
    ...common,
    release: RELEASE,
  })
  .openapi('SearchParameters')

export const recordParameters = z
  .object({ ...selection, ...common, release: RELEASE })
  .openapi('RecordParameters')

export const lookupParameters = z.object({
  query: text('query', {
    description:
      'The start of an id, or of a symbol or name; case does not matter. Or a region with positions, ' +
      'such as `chr17:7,661,779-7,687,550`.',
  }),
  ...paging,
  ...common,
  release: RELEASE,
})

export const quickSearchParameters = lookupParameters.pick({ query: true, size: true })

/** Parameters with one description shared by all endpoints. */
export const sharedParameters: Readonly<Record<string, z.ZodType>> = Object.freeze({
  ...searchParameters.shape,
  query: lookupParameters.shape.query,
})

/**
 * Checks the limit on paging.
 * @throws EngineError `bad_input`
 */
export function checkPaging({ from, size }: { readonly from: number; readonly size: number }) {
  if (from + size <= MAX_RECORDS) return
  throw new EngineError(
    'bad_input',
    `parameters from and size reach to record ${from + size}; the limit of their sum is ${MAX_RECORDS}`,
    { at: 'size' },
  )
}

/**
 * Returns the search text.
 * @throws EngineError `bad_input` if it is missing
 */
export function requiredQuery({ query }: { readonly query: string | undefined }): string {
  if (query !== undefined) return query
  const message = 'parameter query is missing; give the start of an id or name'
  throw new EngineError('bad_input', message, { at: 'query' })
}

const BY_TYPE: ReadonlyMap<string, BodyFormat> = new Map([
  ['application/x-ndjson', 'ndjson'],
  ['application/vnd.apache.arrow.stream', 'arrow'],
  ['application/vnd.apache.parquet', 'parquet'],
  ['text/tab-separated-values', 'tsv'],
  ['text/csv', 'csv'],
  ['application/xml', 'xml'],
])

/**
 * Returns the format that an `Accept` header asks for, if its most preferred type is one of ours alone.
 * Browsers and R list XML among many types, and JSON clients ask for JSON whatever they receive.
 */
export function acceptedFormat(accept: string | null): BodyFormat {
  const listed = listedPreferences(accept)
  const [most] = listed
  if (most === undefined || most.weight === 0) return 'json'
  const takesJson = listed.some(
    ({ name, weight }) => weight === most.weight && /^(\*|application)\/(\*|json)$/.test(name),
  )
  return (takesJson ? undefined : BY_TYPE.get(most.name)) ?? 'json'
}
