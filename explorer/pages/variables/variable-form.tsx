import { useId } from 'preact/hooks'
import { fieldName } from '../../cohort/words.ts'
import { mappingRequest } from '../../facets/facets.ts'
import { genesIn } from '../../genes/named-genes.ts'
import { MAX_SET_GENES } from '../../groups/gene-set.ts'
import { Typed } from '../../parts/typed.tsx'
import { useAnswer } from '../../service/use-answer.ts'
import { readVariable } from './case-variable.ts'

interface VariableFormProps {
  readonly label: string
  /** The variable as the address has it. */
  readonly value: string
  readonly take: (value: string) => void
}

/** Fields that are offered first. */
const FIELDS = [
  'diagnoses.age_at_diagnosis',
  'demographic.gender',
  'primary_site',
  'diagnoses.ajcc_pathologic_stage',
  'diagnoses.tumor_grade',
  'demographic.vital_status',
  'demographic.race',
  'project.project_id',
]
const OTHERS: readonly (readonly [string, string])[] = [
  ['burden', 'Simple mutations of the case'],
  ['ssm', 'Mutations of a gene'],
  ['cnv', 'Copy number of a gene'],
  ['expression', 'Expression of genes'],
  ['field', 'Another field'],
]
/** Variables from which the ways that take a name start. */
const STARTS: Readonly<Record<string, string>> = {
  ssm: 'ssm:TP53',
  cnv: 'cnv:MYC',
  expression: 'expression:EGFR',
  field: 'demographic.ethnicity',
}

/** Controls that choose a variable. */
export function VariableForm({ label, value, take }: VariableFormProps) {
  const list = useId()
  const variable = readVariable(value)
  const mapping = useAnswer<{ readonly _mapping: Readonly<Record<string, unknown>> }>(
    mappingRequest('cases'),
  )
  const isUsual = FIELDS.includes(value) || value === 'burden'
  const way = isUsual ? value : variable.kind
  const names = Object.keys(mapping.data?._mapping ?? {}).map((name) =>
    name.replace(/^cases\./, ''),
  )
  return (
    <>
      <label>
        {label}
        <select
          value={way}
          onChange={({ currentTarget }) => take(STARTS[currentTarget.value] ?? currentTarget.value)}
        >
          {FIELDS.map((field) => (
            <option key={field} value={field}>
              {fieldName(field)}
            </option>
          ))}
          {OTHERS.map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </select>
      </label>
      {'gene' in variable && (
        <Typed
          label={`Gene of ${label.toLowerCase()}`}
          value={variable.gene}
          take={(gene) => take(`${variable.kind}:${gene.trim()}`)}
        />
      )}
      {variable.kind === 'expression' && (
        <Typed
          label={`Genes of ${label.toLowerCase()} (several: their mean)`}
          value={variable.genes.join(', ')}
          take={(text) => take(`expression:${genesIn(text).slice(0, MAX_SET_GENES).join()}`)}
        />
      )}
      {!isUsual && variable.kind === 'field' && (
        <>
          <Typed
            label={`Field of ${label.toLowerCase()}`}
            value={value}
            list={list}
            take={(text) => take(text.trim())}
          />
          <datalist id={list}>
            {names
              .filter((name) => !name.startsWith('files.'))
              .map((name) => (
                <option key={name} value={name}>
                  {fieldName(name)}
                </option>
              ))}
          </datalist>
        </>
      )}
    </>
  )
}
