import { useRef, useState } from 'preact/hooks'
import { fieldName } from '../cohort/words.ts'
import { EmptyNote } from '../parts/notes.tsx'
import { useAnswer } from '../service/use-answer.ts'
import { mappingRequest } from './facets.ts'
import { foundFields } from './field-search.ts'

interface Mapping {
  readonly fields: readonly string[]
}

/** Number of matching names shown at first, and added on request. */
const FIRST_SHOWN = 12
const MORE_SHOWN = 100

interface AddFieldProps {
  readonly dataset: string
  readonly add: (field: string) => void
}

/** Searches the fields of a dataset by name. Adds a card for the field that the user chooses; Enter takes the first. */
export function AddField({ dataset, add }: AddFieldProps) {
  const [searched, setSearched] = useState('')
  const mapping = useAnswer<Mapping>(mappingRequest(dataset))
  const [shown, setShown] = useState(FIRST_SHOWN)
  const fields = mapping.data?.fields ?? []
  const found = foundFields(fields, searched)
  const input = useRef<HTMLInputElement>(null)
  const search = (text: string) => {
    setSearched(text)
    setShown(FIRST_SHOWN)
  }
  const choose = (field: string) => {
    add(field)
    search('')
    // The button that was chosen is gone.
    input.current?.focus()
  }
  return (
    <search class="add-field">
      <label>
        Add a card{' '}
        <input
          type="search"
          placeholder={`Search in ${fields.length.toLocaleString('en')} fields`}
          ref={input}
          value={searched}
          onInput={(event) => search(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && found[0] !== undefined) choose(found[0])
          }}
        />
      </label>
      {searched.trim() !== '' && mapping.data && found.length === 0 && (
        <EmptyNote>No field has these words in its name.</EmptyNote>
      )}
      {found.length > 0 && (
        <ul>
          {found.slice(0, shown).map((field) => (
            <li key={field}>
              <button type="button" onClick={() => choose(field)}>
                {fieldName(field)} <span class="soft">{field}</span>
              </button>
            </li>
          ))}
          {found.length > shown && (
            <li>
              <button type="button" class="quiet" onClick={() => setShown(shown + MORE_SHOWN)}>
                Show more of {found.length.toLocaleString('en')} fields
              </button>
            </li>
          )}
        </ul>
      )}
    </search>
  )
}
