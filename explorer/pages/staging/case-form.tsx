import { useEffect, useId, useState } from 'preact/hooks'
import { counted } from '../../parts/counted.ts'
import { useAnswer } from '../../service/use-answer.ts'
import { codesOf } from './codes.ts'
import {
  type Inputs,
  type Schema,
  type SchemaEntry,
  type SchemaInput,
  type StagingTable,
  tableRequest,
  type Version,
} from './staging-data.ts'

interface CaseFormProps {
  readonly version: Version
  readonly inputs: Inputs
  /** Schema of the case. Undefined until site and histology determine it. */
  readonly schema: Schema | undefined
  /** Schemas that are still possible. */
  readonly candidates: readonly SchemaEntry[]
  /** Called with an empty value to remove an input. */
  readonly change: (key: string, value: string) => void
}

/** Inputs by which every algorithm selects a schema. */
const FIRST_INPUTS: readonly SchemaInput[] = [
  { key: 'site', name: 'Primary site', description: 'ICD-O-3 code, such as C509' },
  { key: 'hist', name: 'Histology', description: 'ICD-O-3 code, such as 8500' },
]

/** Form for the inputs of a case: first site and histology, then schema discriminators, then all other inputs. */
export function CaseForm({ version, inputs, schema, candidates, change }: CaseFormProps) {
  const telling = candidates.flatMap(({ discriminators = [] }) => discriminators)
  const known = schema?.inputs ?? []
  const listed = [...FIRST_INPUTS, ...telling, ...known]
  const byKey = new Map(listed.map((input) => [input.key, input]))
  const shown = [...byKey.values()]
  const used = shown.filter(
    ({ key, used_for_staging }) => used_for_staging || FIRST_INPUTS.some((one) => one.key === key),
  )
  const others = shown.filter((input) => !used.includes(input))
  const field = (input: SchemaInput) => (
    <Field
      key={input.key}
      version={version}
      input={input}
      value={inputs[input.key] ?? ''}
      set={(value) => change(input.key, value)}
    />
  )
  return (
    <form class="case-form" onSubmit={(event) => event.preventDefault()}>
      {schema && (
        <header>
          <h2>{schema.title}</h2>
          {schema.description && <p class="soft">{schema.description}</p>}
        </header>
      )}
      <div class="fields">{used.map(field)}</div>
      {others.length > 0 && (
        <details>
          <summary>
            {counted(others.length, 'input that is', 'inputs that are')} not used for staging
          </summary>
          <div class="fields">{others.map(field)}</div>
        </details>
      )}
    </form>
  )
}

interface FieldProps {
  readonly version: Version
  readonly input: SchemaInput
  readonly value: string
  readonly set: (value: string) => void
}

/** Field for one input. Its codes are loaded when the field gets the focus. */
function Field({ version, input, value, set }: FieldProps) {
  const { key, name, description, table, unit } = input
  const id = useId()
  const [text, setText] = useState(value)
  const [isMet, setMet] = useState(value !== '')
  useEffect(() => setText(value), [value])
  const answer = useAnswer<StagingTable>(
    isMet && table !== undefined ? tableRequest(version, table) : undefined,
  )
  const codes = answer.data ? codesOf(answer.data, key) : []
  const meaning = codes.find(({ code, cell }) => code === text || cell === text)?.meaning
  return (
    <label title={description}>
      <span>
        {name} <code class="soft">{key}</code>
        {unit && <span class="soft"> in {unit}</span>}
      </span>
      <input
        list={id}
        value={text}
        placeholder={input.default}
        onFocus={() => setMet(true)}
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={(event) => set(event.currentTarget.value.trim())}
      />
      <datalist id={id}>
        {codes.map(({ code, cell, meaning: says }) => (
          <option key={cell} value={code}>
            {`${cell}: ${says}`}
          </option>
        ))}
      </datalist>
      <span class="soft meaning">{meaning}</span>
    </label>
  )
}
