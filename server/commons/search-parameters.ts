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
      'Format of the response, in any letter case. By default, JSON, or another of these types ' +
      'if the `Accept` header prefers it.',
    default: 'json',
  }),
  pretty: flag('pretty', { description: 'Indents JSON and XML.' }),
  attachment: flag('attachment', {
    description:
      'Marks the response as a file to save (`Content-Disposition`). A list in JSON is then only ' +
      'the array of its records, like exports of the public service.',
  }),
  filename: text('filename', {
    description: 'Name of the file, with `attachment` or for a manifest.',
  }),
}

export const RELEASE = text('release', {
  description:
    'Id of the release to read: the current one or the one before it, so that pages fit together ' +
    'even after a switch. Each response has its release in the header `X-Casemill-Release`. The ' +
    'status is 410 if the release is no longer open, or if something was withdrawn from it ' +
    'since.',
})

const selection = {
  fields: names('fields', {
    description:
      'Fields to return, with dots for nesting. With `expand` and without `fields`, the default ' +
      'fields are returned as well. Unknown names are reported in `warnings`.',
  }),
  expand: names('expand', {
    description:
      'Groups whose direct fields are returned, such as `cases.samples`. `summary` of projects ' +
      'and cases also returns the groups in it.',
  }),
}

const paging = {
  size: count('size', 10, {
    description:
      'Maximum number of records to return; 0 for none. `from` + `size` can be at most ' +
      '100,000,000. Texts and forms such as `1e5` are accepted.',
  }),
  from: count('from', 0, { description: 'Index of the first record, from 0.' }),
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
      description: 'A filter on cases, in addition to `filters`.',
    }),
    ...selection,
    facets: names('facets', {
      description:
        'Fields to count over all matching records: `buckets` with the number of records for ' +
        'each value, or `stats` for numbers. Conditions on the field itself are ignored.',
    }),
    histograms: names('histograms', {
      description:
        'Fields to count by intervals over all matching records, as `field:interval`: a length ' +
        'for numbers, or `year`, `month` or `day` for dates. An example is ' +
        '`diagnoses.age_at_diagnosis:3652.5`. At most 1,000 intervals can have values.',
    }),
    ...paging,
    sort: names('sort', {
      description: 'Fields to sort by, as `field`, `field:asc` or `field:desc`. Otherwise by id.',
    }),
    return_type: word('return_type', ['manifest', 'drs_manifest'], {
      description:
        'Instead of records, a download manifest of all matching files, or of the files of all ' +
        'matching records. `drs_manifest` adds a column with the URI of each file. `size` and ' +
        '`from` are ignored.',
    }),
    tsv_format: text('tsv_format', {
      description:
        "`sample-sheet` returns the TSV of `/files` as the portal's sample sheet, with its own " +
        'columns: a line for each file, with its cases and samples. Other values are ignored.',
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
 * @throws EngineError `bad_input` if the page ends beyond MAX_RECORDS
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
 * Returns the format that an `Accept` header requests. The header must have a single most preferred type, which
 * must be one of ours: browsers and R list XML among many types, and JSON clients request JSON whatever they
 * receive.
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
