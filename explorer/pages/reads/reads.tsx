import { activeCohort, withQuery } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import type { SearchAnswer } from '../../cohort/count.ts'
import { bothOf, prefixed } from '../../filter/filter.ts'
import { Answered } from '../../parts/answered.tsx'
import { FailedNote } from '../../parts/failed-note.tsx'
import { Link } from '../../parts/link.tsx'
import { EmptyNote, ErrorNote } from '../../parts/notes.tsx'
import { useAnswer } from '../../service/use-answer.ts'
import { FileForm } from './file-form.tsx'
import { type GeneHit, PlaceForm } from './place-form.tsx'
import { parseRegion, type Region, referenceNamed } from './region.ts'
import { RegionView } from './region-view.tsx'
import { useSlice } from './use-slice.ts'

interface FileHit {
  readonly id: string
  readonly file_name: string
  readonly access: string
  readonly cases?: readonly { readonly submitter_id: string }[]
}

const IS_ALIGNMENT = { op: 'in', content: { field: 'data_format', value: ['BAM'] } }
/** Maximum number of files in the list. Users narrow it by their cohort. Small open files come first. */
const MAX_FILES = 200

/** Page for the reads of a file at a position. */
export function ReadsPage() {
  const { address, change } = usePlace()
  const { query } = address
  const cohort = prefixed(activeCohort(address).filter, 'cases')
  const files = useAnswer<SearchAnswer<FileHit>>({
    path: '/files',
    query: {
      fields: 'file_name,access,cases.submitter_id',
      size: MAX_FILES,
      sort: 'access:desc,file_size:asc',
    },
    filters: bothOf(IS_ALIGNMENT, cohort),
  })
  const hits = files.data?.data.hits ?? []
  const fileId = query.get('file') ?? hits[0]?.id
  const header = useSlice(
    fileId === undefined ? undefined : { path: `/slicing/view/${encodeURIComponent(fileId)}` },
  )
  const asked = query.get('place')?.trim() ?? ''
  const isPlace = asked === '' || parseRegion(asked) !== undefined
  const genes = useAnswer<SearchAnswer<GeneHit>>(isPlace ? undefined : geneRequest(asked))
  const gene = isPlace ? undefined : genes.data?.data.hits[0]
  const references = header.data?.references ?? []
  const region = asked === '' ? undefined : regionOf(asked, gene, references)
  return (
    <>
      <FileForm files={hits} chosen={fileId} choose={(file) => change({ file })} />
      <PlaceForm
        asked={asked}
        gene={gene}
        region={region}
        references={references}
        goTo={(place) => change({ place })}
      />
      {files.error && <FailedNote error={files.error} />}
      {files.data?.data.pagination.total === 0 && (
        <EmptyNote>
          No case in the cohort has an alignment file. Files of <code>casemill import bam</code> are
          of no case: enter the id that the import printed.
        </EmptyNote>
      )}
      {asked === '' && (
        <EmptyNote>Enter a gene, or a region such as chr17:7661779-7687550.</EmptyNote>
      )}
      {genes.data?.data.hits.length === 0 && !isPlace && (
        <EmptyNote>No gene with this name in this release.</EmptyNote>
      )}
      {genes.error && <FailedNote error={genes.error} />}
      {asked === '' && <Suggestions />}
      {header.error && <FailedNote error={header.error} />}
      {header.data && asked !== '' && (isPlace || gene) && !region && (
        <ErrorNote
          text={`This region is not in the file. Its references are ${someOf(references)}.`}
        />
      )}
      {fileId !== undefined && region && (
        <RegionView
          fileId={fileId}
          fileName={hits.find(({ id }) => id === fileId)?.file_name ?? fileId}
          references={references}
          region={region}
        />
      )}
    </>
  )
}

/** Offers genes of the Cancer Gene Census. */
function Suggestions() {
  const { address } = usePlace()
  const genes = useAnswer<SearchAnswer<GeneHit>>({
    path: '/genes',
    query: { fields: 'symbol', size: 12, sort: 'symbol:asc' },
    filters: { op: 'in', content: { field: 'is_cancer_gene_census', value: ['true'] } },
  })
  return (
    <Answered answer={genes}>
      {({ data }) => (
        <ul class="chips">
          {data.hits.map(({ symbol }) => (
            <li key={symbol}>
              <Link to={withQuery(address, { place: symbol })}>{symbol}</Link>
            </li>
          ))}
        </ul>
      )}
    </Answered>
  )
}

const geneRequest = (name: string) => ({
  path: '/genes',
  query: { fields: 'symbol,gene_chromosome,gene_start,gene_end', size: 1 },
  filters: {
    op: 'or' as const,
    content: ['symbol', 'gene_id'].map((field) => ({
      op: 'in',
      content: { field, value: [name] },
    })),
  },
})

/** Returns the region if the file has its reference. */
function regionOf(
  asked: string,
  gene: GeneHit | undefined,
  references: readonly { readonly name: string; readonly length: number }[],
): Region | undefined {
  const given = gene
    ? { reference: gene.gene_chromosome, start: gene.gene_start, end: gene.gene_end }
    : parseRegion(asked)
  const name = given && referenceNamed(given.reference, references)
  const length = references.find((reference) => reference.name === name)?.length ?? 0
  if (!given || name === undefined || given.start > length) return undefined
  return { reference: name, start: given.start, end: Math.min(given.end, length) }
}

const someOf = (references: readonly { readonly name: string }[]) => {
  const names = references.slice(0, 5).map(({ name }) => name)
  return `${names.join(', ')}${references.length > names.length ? ' and others' : ''}`
}
