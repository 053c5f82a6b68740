import { useId, useState } from 'preact/hooks'
import { mappingRequest } from '../facets/facets.ts'
import { foundFields } from '../facets/field-search.ts'
import { Answered } from '../parts/answered.tsx'
import { useAnswer } from '../service/use-answer.ts'

interface ColumnChooserProps {
  readonly dataset: string
  readonly chosen: readonly string[]
  /** Changes the fields. Undefined returns to the usual ones. */
  readonly choose: (fields: readonly string[] | undefined) => void
}

/** Number of fields shown at first, and added on request. */
const FIRST_SHOWN = 30
const MORE_SHOWN = 200

/** Folded list of all fields of a dataset, for the choice of columns. */
export function ColumnChooser(props: ColumnChooserProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="columns" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Columns</summary>
      {isOpen && <Choice {...props} />}
    </details>
  )
}

function Choice({ dataset, chosen, choose }: ColumnChooserProps) {
  const mapping = useAnswer<{ readonly fields: readonly string[] }>(mappingRequest(dataset))
  const [searched, setSearched] = useState('')
  const [shown, setShown] = useState(FIRST_SHOWN)
  const id = useId()
  // The list keeps its order while columns are chosen, so that the focus stays at its place.
  const [first] = useState(chosen)
  const toggle = (field: string) => {
    const left = chosen.filter((one) => one !== field)
    const next = left.length < chosen.length ? left : [...chosen, field]
    if (next.length > 0) choose(next)
  }
  return (
    <Answered answer={mapping}>
      {({ fields }) => {
        const isSearched = searched.trim() !== ''
        const found = isSearched
          ? foundFields(fields, searched)
          : [...first, ...fields.filter((field) => !first.includes(field))]
        return (
          <>
            <p class="actions">
              <input
                type="search"
                aria-label="Search in the columns"
                placeholder={`Search in ${fields.length.toLocaleString('en')} fields`}
                value={searched}
                onInput={(event) => {
                  setSearched(event.currentTarget.value)
                  setShown(FIRST_SHOWN)
                }}
              />
              <button type="button" class="quiet" onClick={() => choose(undefined)}>
                The usual columns
              </button>
            </p>
            <ul class="fields-list">
              {found.slice(0, shown).map((field, index) => (
                <li key={field}>
                  <input
                    type="checkbox"
                    id={`${id}-${index}`}
                    checked={chosen.includes(field)}
                    disabled={chosen.length === 1 && chosen[0] === field}
                    onChange={() => toggle(field)}
                  />{' '}
                  <label for={`${id}-${index}`}>{field}</label>
                </li>
              ))}
            </ul>
            {found.length === 0 && <p class="soft">No field has these words in its name.</p>}
            {found.length > shown && (
              <button type="button" class="quiet" onClick={() => setShown(shown + MORE_SHOWN)}>
                Show more of {found.length.toLocaleString('en')} fields
              </button>
            )}
          </>
        )
      }}
    </Answered>
  )
}
