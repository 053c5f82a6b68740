import { useEffect, useState } from 'preact/hooks'
import { counted } from '../../parts/counted.ts'
import type { Reference } from './bam.ts'
import { lengthOf, moved, type Region, regionText, shownRegion, zoomed } from './region.ts'

/** A gene with its location in the release. */
export interface GeneHit {
  readonly symbol: string
  readonly gene_chromosome: string
  readonly gene_start: number
  readonly gene_end: number
}

interface PlaceFormProps {
  readonly asked: string
  readonly gene: GeneHit | undefined
  readonly region: Region | undefined
  readonly references: readonly Reference[]
  readonly goTo: (place: string) => void
}

const HALF = 0.5
const DOUBLE = 2

/** Form to go to a gene or region and to move along the genome. */
export function PlaceForm({ asked, gene, region, references, goTo }: PlaceFormProps) {
  const [text, setText] = useState(asked)
  useEffect(() => setText(asked), [asked])
  const length = references.find(({ name }) => name === region?.reference)?.length ?? 0
  const step = (change: (region: Region) => Region) => region && goTo(regionText(change(region)))
  return (
    <form
      class="controls"
      onSubmit={(event) => {
        event.preventDefault()
        goTo(text.trim())
      }}
    >
      <label>
        Gene or region
        <input
          size={28}
          spellcheck={false}
          placeholder="TP53 or chr17:7661779-7687550"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <button type="submit">Go</button>
      {region && (
        <fieldset class="views" aria-label="Move and zoom">
          <button type="button" onClick={() => step((from) => moved(from, -HALF, length))}>
            ← Left
          </button>
          <button type="button" onClick={() => step((from) => moved(from, HALF, length))}>
            Right →
          </button>
          <button type="button" onClick={() => step((from) => zoomed(from, HALF, length))}>
            Zoom in
          </button>
          <button type="button" onClick={() => step((from) => zoomed(from, DOUBLE, length))}>
            Zoom out
          </button>
          <span class="soft">
            {gene && `${gene.symbol}: `}
            {shownRegion(region)}, {counted(lengthOf(region), 'base')}
          </span>
        </fieldset>
      )}
    </form>
  )
}
