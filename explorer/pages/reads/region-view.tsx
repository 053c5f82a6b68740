import { formatAddress, withQuery } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { Answered } from '../../parts/answered.tsx'
import { counted } from '../../parts/counted.ts'
import { FailedNote } from '../../parts/failed-note.tsx'
import { Figure } from '../../parts/figure.tsx'
import { EmptyNote, LoadingNote } from '../../parts/notes.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import type { AlignedRead, Reference } from './bam.ts'
import { coverageChart, type Depth, depthsOf, stretchesOf } from './coverage.ts'
import { type DrawnGene, useGenesThere } from './genes-there.ts'
import { IgvView } from './igv-view.tsx'
import { lengthOf, type Region, regionText, shownRegion, zoomed } from './region.ts'
import { type Slice, useSlice } from './use-slice.ts'

interface RegionViewProps {
  readonly fileId: string
  readonly fileName: string
  readonly references: readonly Reference[]
  readonly region: Region
}

/** Shows coverage and reads of a region. */
export function RegionView({ fileId, fileName, references, region }: RegionViewProps) {
  const request: ServiceRequest = {
    path: `/slicing/view/${encodeURIComponent(fileId)}`,
    query: { region: regionText(region) },
  }
  const slice = useSlice(request)
  const genes = useGenesThere(region)
  return (
    <Answered answer={slice}>
      {(data) =>
        data.reads.length === 0 ? (
          <EmptyNote>No reads of {fileName} here.</EmptyNote>
        ) : (
          <>
            <Coverage
              slice={data}
              region={region}
              references={references}
              fileName={fileName}
              request={request}
            />
            <section class="figure">
              <h2>Reads</h2>
              <p class="soft">
                Genes of the release, and coverage and reads of {fileName}, drawn by igv.js from the
                slice alone. Drag it to move within the region. Without the reference's bases
                mismatches have no colours.
              </p>
              {genes.error && <FailedNote error={genes.error} />}
              {!genes.data && !genes.error ? (
                <LoadingNote />
              ) : (
                <IgvView
                  references={references}
                  slice={data.file}
                  name={fileName}
                  region={region}
                  genes={genes.data ?? NO_GENES}
                />
              )}
              <details>
                <summary>The reads as a table</summary>
                <Table
                  caption={`Reads that overlap ${shownRegion(region)}`}
                  columns={READ_COLUMNS}
                  rows={data.reads}
                  fileName="reads.tsv"
                />
              </details>
            </section>
          </>
        )
      }
    </Answered>
  )
}

interface CoverageProps {
  readonly slice: Slice
  readonly region: Region
  readonly references: readonly Reference[]
  readonly fileName: string
  readonly request: ServiceRequest
}

/** Number of intervals that are shown when one is opened. */
const OPENED = 20

function Coverage({ slice, region, references, fileName, request }: CoverageProps) {
  const { address } = usePlace()
  const total = references.find(({ name }) => name === region.reference)?.length ?? 0
  const hrefOf = ({ start, end }: Depth) => {
    const around = zoomed({ ...region, start, end }, OPENED, total)
    return lengthOf(around) < lengthOf(region)
      ? formatAddress(withQuery(address, { place: regionText(around) }))
      : undefined
  }
  const depths = depthsOf(slice.reads, region)
  const stretches = stretchesOf(depths, region)
  const [first] = stretches
  const length = first ? first.end - first.start + 1 : 1
  const mean = depths.reduce((sum, depth) => sum + depth, 0) / depths.length
  const bare = depths.reduce((count, depth) => count + (depth === 0 ? 1 : 0), 0)
  const count = (value: number) => value.toLocaleString('en')
  return (
    <Figure
      title={`Coverage of ${shownRegion(region)}`}
      method={`${counted(slice.reads.length, 'read')} of ${fileName} ${slice.reads.length === 1 ? 'overlaps' : 'overlap'} ${counted(depths.length, 'base')}: ${mean.toFixed(1)} on a base on average, none on ${counted(bare, 'base')}. Duplicates, failed and secondary reads are left out, as are deleted bases. ${length === 1 ? 'Each step is a base.' : `Dark is the mean of ${count(length)} bases, pale the highest of them. A step opens the bases around it.`}`}
      requests={[request]}
      columns={DEPTH_COLUMNS}
      rows={stretches}
      fileName="coverage"
      drawnOf={slice}
      draw={(width) => coverageChart(width, stretches, { reference: region.reference, hrefOf })}
    />
  )
}

const DEPTH_COLUMNS: readonly Column<Depth>[] = [
  { title: 'From', value: ({ start }) => start, show: ({ start }) => start.toLocaleString('en') },
  { title: 'To', value: ({ end }) => end, show: ({ end }) => end.toLocaleString('en') },
  { title: 'Mean depth', value: ({ mean }) => mean },
  { title: 'Highest depth', value: ({ highest }) => highest },
]

const NO_GENES: readonly DrawnGene[] = []
const REVERSE = 0x10

const READ_COLUMNS: readonly Column<AlignedRead>[] = [
  { title: 'Name', value: ({ name }) => name },
  { title: 'From', value: ({ start }) => start, show: ({ start }) => start.toLocaleString('en') },
  { title: 'To', value: ({ end }) => end, show: ({ end }) => end.toLocaleString('en') },
  { title: 'Strand', value: ({ flags }) => (flags & REVERSE ? 'reverse' : 'forward') },
  { title: 'Mapping quality', value: ({ quality }) => quality },
  { title: 'CIGAR', value: ({ cigar }) => cigar },
  { title: 'Flags', value: ({ flags }) => flags },
]
