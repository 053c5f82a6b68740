import type { Filter } from '../filter/filter.ts'

interface SaveRecordsProps {
  readonly dataset: string
  readonly fields: readonly string[]
  readonly sort: string
  readonly filter: Filter | undefined
  readonly caseFilter: Filter | undefined
  readonly total: number
}

/** Maximum number of records of a search. */
const ALL_RECORDS = 100_000_000
/** Maximum characters of a link. A longer request becomes a form, as proxies limit request lines to 8 KiB. */
const MAX_LINK = 2000

const FORMATS = [
  ['tsv', 'TSV'],
  ['csv', 'CSV'],
  ['json', 'JSON'],
  ['ndjson', 'JSON lines'],
  ['parquet', 'Parquet'],
] as const

/**
 * Offers all records as a file. The browser loads it from the service as any other file: it shows the progress, and
 * can cancel it.
 */
export function SaveRecords({ dataset, total, ...asked }: SaveRecordsProps) {
  const parameters = parametersOf(asked)
  const query = String(new URLSearchParams(parameters))
  const label = `Save all ${total.toLocaleString('en')} as`
  if (query.length <= MAX_LINK) {
    return (
      <p class="actions saves">
        <span>{label}</span>
        {FORMATS.map(([format, name]) => (
          <a key={format} class="button" href={`/${dataset}?${query}&format=${format}`} download>
            {name}
          </a>
        ))}
      </p>
    )
  }
  return (
    <form class="actions saves" method="post" action={`/${dataset}`}>
      <span>{label}</span>
      {parameters.map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {FORMATS.map(([format, name]) => (
        <button key={format} type="submit" name="format" value={format}>
          {name}
        </button>
      ))}
    </form>
  )
}

/** Offers the clinical tables of all cases, in which each diagnosis has its own row. */
export function SaveClinical({ filter }: { readonly filter: Filter | undefined }) {
  const filters = filter && JSON.stringify(filter)
  return (
    <form class="actions saves" method="post" action="/clinical_tar">
      {filters !== undefined && <input type="hidden" name="filters" value={filters} />}
      <input type="hidden" name="size" value={String(ALL_RECORDS)} />
      <button type="submit" class="quiet">
        Save with a row for each tumour, as a tar of TSV tables
      </button>
    </form>
  )
}

function parametersOf({
  fields,
  sort,
  filter,
  caseFilter,
}: Omit<SaveRecordsProps, 'dataset' | 'total'>): [string, string][] {
  return [
    ['fields', fields.join(',')],
    ['sort', sort],
    ['size', String(ALL_RECORDS)],
    ['attachment', 'true'],
    ...(filter ? [['filters', JSON.stringify(filter)] as [string, string]] : []),
    ...(caseFilter ? [['case_filters', JSON.stringify(caseFilter)] as [string, string]] : []),
  ]
}
