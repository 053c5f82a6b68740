import { type Address, onPage, withCohort } from '../address/address.ts'
import type { SearchAnswer } from '../cohort/count.ts'
import type { Filter } from '../filter/filter.ts'
import type { Service } from '../service/service.ts'

/** Something that a search finds. */
export interface Found {
  /** Kind, such as `Gene`. */
  readonly kind: string
  readonly title: string
  readonly detail: string
  /** Returns the address that shows it. */
  readonly to: (now: Address) => Address
}

/** A page that can be found. */
export interface FoundPage {
  readonly path: string
  readonly title: string
  readonly purpose: string
}

interface QuickSearch {
  readonly data: { readonly query: { readonly hits: readonly QuickHit[] } }
}

/** A record that was found. Its id is the base64 of its kind, a colon and its own id. */
type QuickHit = Readonly<Record<string, unknown>> & { readonly id: string }

interface NamedCase {
  readonly id: string
  readonly submitter_id: string
}

/** Maximum number of records and of pages that are found. */
const MAX_RECORDS = 8
const MAX_PAGES = 3
/** Fields of cases with the names of parts of their samples, which the quick search does not know. */
const PARTS = ['sample', 'portion', 'analyte', 'aliquot', 'slide'].flatMap((part) => [
  `${part}_ids`,
  `submitter_${part}_ids`,
])
/** Barcodes and ids of parts are not shorter. */
const SHORTEST_PART = 8

/**
 * Finds pages by their titles, and records by the start of an id, barcode, symbol or name.
 * @throws ServiceError
 */
export async function find(
  service: Service,
  pages: readonly FoundPage[],
  text: string,
  signal: AbortSignal,
): Promise<readonly Found[]> {
  const query = text.trim()
  if (query === '') return []
  const filters: Filter = {
    op: 'or',
    content: PARTS.map((field) => ({ op: 'in', content: { field, value: [query] } })),
  }
  const [records, parts] = await Promise.all([
    service.ask<QuickSearch>(
      { path: '/quick_search', query: { query, size: MAX_RECORDS } },
      signal,
    ),
    query.length < SHORTEST_PART
      ? undefined
      : service.ask<SearchAnswer<NamedCase>>(
          { path: '/cases', query: { fields: 'submitter_id', size: 2 }, filters },
          signal,
        ),
  ])
  const owners = (parts?.data.hits ?? []).map(
    ({ submitter_id }): Found => ({
      kind: 'Case',
      title: submitter_id,
      detail: `has ${query}`,
      to: (now) => onPage(now, 'case', { id: submitter_id }),
    }),
  )
  const [region] = regionsIn(query)
  return [
    ...pagesNamed(pages, query),
    ...(region ? [region] : []),
    ...owners,
    ...records.data.query.hits.flatMap(foundOf),
  ]
}

/** Returns the pages that have a word that starts with the text in their title. */
export function pagesNamed(pages: readonly FoundPage[], text: string): readonly Found[] {
  const word = text.toLowerCase()
  return pages
    .filter(({ title }) =>
      [title, ...title.split(' ')].some((part) => part.toLowerCase().startsWith(word)),
    )
    .slice(0, MAX_PAGES)
    .map(({ path, title, purpose }) => ({
      kind: 'Page',
      title,
      detail: purpose,
      to: (now) => onPage(now, path),
    }))
}

function regionsIn(text: string): readonly Found[] {
  if (!/^(chr)?[\dXYM]+:[\d,]+(-[\d,]+)?$/i.test(text)) return []
  const to = (now: Address) => onPage(now, 'reads', { place: text })
  return [{ kind: 'Region', title: text, detail: 'Reads there', to }]
}

/** Returns what a record leads to. Records without a page lead to nothing. */
export function foundOf(hit: QuickHit): readonly Found[] {
  const [, kind = '', id = ''] = /^(\w+):(.*)$/s.exec(decoded(hit.id)) ?? []
  const word = (name: string) => [hit[name]].flat().filter(Boolean).join(', ')
  switch (kind) {
    case 'Case':
      return [
        {
          ...{ kind, title: word('submitter_id') || id, detail: word('primary_site') },
          to: (now) => onPage(now, 'case', { id }),
        },
      ]
    case 'File':
      return [
        {
          ...{ kind, title: word('file_name') || id, detail: word('submitter_id') },
          to: (now) => onPage(now, 'file', { id }),
        },
      ]
    case 'Gene':
      return [
        {
          ...{ kind, title: word('symbol') || id, detail: word('name') },
          to: (now) => onPage(now, 'genes', { gene: word('symbol') || id }),
        },
      ]
    case 'Ssm':
      return [
        {
          ...{ kind: 'Variant', title: word('genomic_dna_change') || id },
          detail: word('gene_aa_change'),
          to: (now) => onPage(now, 'variant', { id }),
        },
      ]
    case 'Project':
      return [
        {
          ...{ kind, title: id, detail: word('name') },
          to: (now) =>
            withCohort(onPage(now, 'cohort'), {
              name: id,
              filter: { op: 'in', content: { field: 'project.project_id', value: [id] } },
            }),
        },
      ]
    case 'Annotation':
      return [
        {
          ...{ kind, title: id, detail: `of the ${word('entity_type')} ${word('entity_id')}` },
          to: (now) => onPage(now, 'case', { id: word('entity_id') }),
        },
      ]
    default:
      return []
  }
}

const decoded = (text: string) =>
  new TextDecoder().decode(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)))
