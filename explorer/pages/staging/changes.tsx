import { useState } from 'preact/hooks'
import { Answered } from '../../parts/answered.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useAnswers } from '../../service/use-answer.ts'
import { codesOf } from './codes.ts'
import {
  type Inputs,
  type Schema,
  type SchemaInput,
  type Staged,
  type StagingTable,
  stageManyRequest,
  tableRequest,
  type Version,
} from './staging-data.ts'

interface ChangesProps {
  readonly version: Version
  readonly schema: Schema
  readonly inputs: Inputs
  readonly output: Readonly<Record<string, string>>
}

/** Another code of an input, and how it would change the stage. */
interface Change {
  readonly input: SchemaInput
  readonly code: string
  readonly meaning: string
  readonly outputs: string
}

/** Maximum number of codes tried per input. */
const MAX_CODES = 200

/** Shows how each other code of each input would change the stage. */
export function Changes(props: ChangesProps) {
  const [isAsked, setAsked] = useState(false)
  return (
    <section>
      <h2>What would change the result</h2>
      {isAsked ? (
        <Tried {...props} />
      ) : (
        <button type="button" onClick={() => setAsked(true)}>
          Try every other code of each input
        </button>
      )}
    </section>
  )
}

function Tried({ version, schema, inputs, output }: ChangesProps) {
  const tried = schema.inputs.filter(
    ({ key, table, used_for_staging }) =>
      used_for_staging && table !== undefined && key !== 'site' && key !== 'hist',
  )
  const tables = useAnswers<StagingTable>(
    tried.map(({ table = '' }) => tableRequest(version, table)),
  )
  const variants = tried.flatMap((input, index) => {
    const table = tables.data?.[index]
    const codes = table ? codesOf(table, input.key).slice(0, MAX_CODES) : []
    return codes
      .filter(({ code }) => code !== inputs[input.key])
      .map(({ code, meaning }) => ({ input, code, meaning }))
  })
  const answers = useAnswers<readonly Staged[]>(
    tables.data && variants.length > 0
      ? [
          stageManyRequest(
            version,
            variants.map(({ input, code }) => ({ ...inputs, [input.key]: code })),
          ),
        ]
      : undefined,
  )
  return (
    <Answered answer={tables.error ? { ...answers, error: tables.error } : answers}>
      {([staged = []]) => {
        const changes: readonly Change[] = variants.flatMap((variant, index) => {
          const other = staged[index]?.output ?? {}
          const keys = Object.keys(output).filter((key) => other[key] !== output[key])
          if (keys.length === 0) return []
          const outputs = keys.map((key) => `${key}: ${output[key] || '–'} → ${other[key] || '–'}`)
          return [{ ...variant, outputs: outputs.join(', ') }]
        })
        return changes.length === 0 ? (
          <EmptyNote>No single other code changes the result.</EmptyNote>
        ) : (
          <Table
            caption={`${changes.length} of ${variants.length} other codes change an output`}
            columns={COLUMNS}
            rows={changes}
            fileName="changes.tsv"
          />
        )
      }}
    </Answered>
  )
}

const COLUMNS: readonly Column<Change>[] = [
  { title: 'Input', value: ({ input }) => input.name },
  { title: 'Other code', value: ({ code }) => code },
  { title: 'Meaning', value: ({ meaning }) => meaning },
  { title: 'Outputs', value: ({ outputs }) => outputs },
]
