import { useState } from 'preact/hooks'
import { fieldName } from '../cohort/words.ts'
import { useAnswer } from '../service/use-answer.ts'
import { mappingRequest } from './facets.ts'

interface Mapping {
  readonly fields: readonly string[]
}

/** Maximum number of matching names shown. */
const MAX_SHOWN = 12

interface AddFieldProps {
  readonly dataset: string
  readonly add: (field: string) => void
}

/** Searches the fields of a dataset by name. Adds a card for the field that the user chooses. */
export function AddField({ dataset, add }: AddFieldProps) {
  const [searched, setSearched] = useState('')
  const mapping = useAnswer<Mapping>(mappingRequest(dataset))
  const words = searched
    .trim()
    .toLowerCase()
    .split(/[\s_.]+/)
  const fields = mapping.data?.fields ?? []
  const found =
    searched.trim() === ''
      ? []
      : fields.filter((field) => words.every((word) => field.toLowerCase().includes(word)))
  return (
    <search class="add-field">
      <label>
        Add a card{' '}
        <input
          type="search"
          placeholder={`Search in ${fields.length.toLocaleString('en')} fields`}
          value={searched}
          onInput={(event) => setSearched(event.currentTarget.value)}
        />
      </label>
      {found.length > 0 && (
        <ul>
          {found.slice(0, MAX_SHOWN).map((field) => (
            <li key={field}>
              <button
                type="button"
                onClick={() => {
                  add(field)
                  setSearched('')
                }}
              >
                {fieldName(field)} <span class="soft">{field}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </search>
  )
}
