import { useState } from 'preact/hooks'
import { counted } from '../parts/counted.ts'
import { ErrorNote } from '../parts/notes.tsx'
import { Typed } from '../parts/typed.tsx'
import { useTask } from '../parts/use-task.ts'
import { type GeneSet, MAX_SET_GENES, readGeneSet, readGeneSets } from './gene-set.ts'

interface GeneSetFormProps {
  readonly genes: readonly string[]
  /** Takes a set, of which genes beyond the limit are left out. */
  readonly take: (set: GeneSet) => void
}

/** Maximum size of a file in bytes. All sets of the Molecular Signatures Database have less. */
const MAX_FILE_BYTES = 64 << 20
/** Maximum number of listed sets of a file. */
const MAX_SETS = 10_000

/** Lets the user paste the genes of a set, or choose a set of a file in GMT. */
export function GeneSetForm({ genes, take }: GeneSetFormProps) {
  const [sets, setSets] = useState<readonly GeneSet[]>([])
  const [chosen, setChosen] = useState<GeneSet>()
  const { error, run } = useTask()
  const choose = (one: GeneSet) => {
    setChosen(one)
    take({ ...one, genes: one.genes.slice(0, MAX_SET_GENES) })
  }
  const read = (file: File) =>
    run(async () => {
      if (file.size > MAX_FILE_BYTES) {
        throw new Error(
          `This file has ${Math.ceil(file.size / (1 << 20))} MiB. Choose one of at most ${MAX_FILE_BYTES >> 20} MiB.`,
        )
      }
      const found = readGeneSets(await file.text())
      setSets(found)
      if (found[0]) choose(found[0])
    })
  const given = chosen?.genes.length ?? 0
  return (
    <>
      <Typed
        label="Genes"
        value={genes.join(', ')}
        take={(text) => {
          setSets([])
          choose(readGeneSet(text))
        }}
      />
      <label>
        or a file (GMT)
        <input
          type="file"
          accept=".gmt,.txt"
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? []
            if (file) read(file)
          }}
        />
      </label>
      {sets.length > 1 && (
        <label>
          Set of the file
          <select
            value={chosen ? sets.indexOf(chosen) : 0}
            onChange={(event) => {
              const one = sets[Number(event.currentTarget.value)]
              if (one) choose(one)
            }}
          >
            {sets.slice(0, MAX_SETS).map(({ set, genes: own }, place) => (
              <option key={place} value={place}>
                {set} ({counted(own.length, 'gene')})
              </option>
            ))}
          </select>
        </label>
      )}
      {error !== '' && <ErrorNote text={error} />}
      {sets.length > MAX_SETS && (
        <p class="soft">
          The first {MAX_SETS.toLocaleString('en')} of {sets.length.toLocaleString('en')} sets are
          listed.
        </p>
      )}
      {given > MAX_SET_GENES && (
        <p class="soft">
          The first {MAX_SET_GENES} of {given.toLocaleString('en')} genes count.
        </p>
      )}
    </>
  )
}
