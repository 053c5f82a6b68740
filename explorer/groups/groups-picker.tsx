import type { ComponentChildren } from 'preact'
import { activeCohort, withQuery } from '../address/address.ts'
import { usePlace } from '../address/context.ts'
import { fieldName, inYears } from '../cohort/words.ts'
import { fieldKind, mappingRequest } from '../facets/facets.ts'
import { Typed } from '../parts/typed.tsx'
import { useAnswer } from '../service/use-answer.ts'
import { GeneSetForm } from './gene-set-form.tsx'
import { cutsOf, PARTS, type Split, splitOf, splitText } from './split.ts'
import { ValuePicker } from './value-picker.tsx'

/** Fields that are offered first. */
const FIELDS = [
  'demographic.gender',
  'primary_site',
  'disease_type',
  'diagnoses.ajcc_pathologic_stage',
  'diagnoses.tumor_grade',
  'demographic.race',
  'demographic.vital_status',
  'project.project_id',
  'files.msi_status',
]
const AGE = 'diagnoses.age_at_diagnosis'
const STAGE = 'diagnoses.ajcc_pathologic_stage'

/** Ways to make groups, with what they start from. */
const WAYS: readonly (readonly [string, string, Split])[] = [
  ['values', 'by the values of another field', { by: 'values', field: STAGE }],
  ['ranges', 'by ranges of a number', { by: 'ranges', field: AGE, cuts: [50, 70] }],
  ['quantiles', 'by quantiles of a number', { by: 'quantiles', field: AGE, parts: 3 }],
  ['expression', 'by the expression of a gene', { by: 'expression', gene: 'EGFR', parts: 3 }],
  ['gene-set', 'by the expression of a gene set', { by: 'gene-set', genes: [], parts: 3 }],
  ['burden', 'by the number of mutations', { by: 'burden', parts: 3 }],
  ['mutated', 'by mutations of a gene', { by: 'mutated', gene: 'TP53' }],
  ['copies', 'by the copy number of a gene', { by: 'copies', gene: 'MYC' }],
  ['others', 'and all other cases', { by: 'others' }],
]

/** Form that chooses the groups of the address. `children` are more controls of the page. */
export function GroupsPicker({ children }: { readonly children?: ComponentChildren }) {
  const { address, go } = usePlace()
  const { cohorts } = address
  const active = activeCohort(address)
  const split = splitOf(address)
  const choose = (next: Split) =>
    go((now) => {
      // A field alone, as in earlier links, is replaced.
      const by = now.page === 'compare' ? {} : { by: undefined }
      return withQuery(now, { ...by, groups: splitText(next), shared: undefined })
    })
  const isUsual = split.by === 'values' && FIELDS.includes(split.field)
  const way = isUsual ? `values:${split.field}` : split.by
  const take = (value: string) => {
    const [by, field] = value.split(':')
    if (by === 'values' && field !== undefined) choose({ by, field })
    else choose(WAYS.find(([name]) => name === by)?.[2] ?? { by: 'cohorts' })
  }
  return (
    <form class="controls" onSubmit={(event) => event.preventDefault()}>
      <label>
        Groups
        <select value={way} onChange={(event) => take(event.currentTarget.value)}>
          <option value="cohorts">
            {cohorts.length > 1 ? `the ${cohorts.length} cohorts` : 'the cohort as a whole'}
          </option>
          {FIELDS.map((field) => (
            <option key={field} value={`values:${field}`}>
              {active.name} by {fieldName(field).toLowerCase()}
            </option>
          ))}
          {WAYS.map(([name, text]) => (
            <option key={name} value={name}>
              {active.name} {text}
            </option>
          ))}
        </select>
      </label>
      <Choices split={split} choose={choose} isUsual={isUsual} />
      {children}
    </form>
  )
}

interface ChoicesProps {
  readonly split: Split
  readonly choose: (next: Split) => void
  /** Whether the field stands in the first list already. */
  readonly isUsual: boolean
}

/** Shows what a way to make groups lets the user choose. */
function Choices({ split, choose, isUsual }: ChoicesProps) {
  switch (split.by) {
    case 'cohorts':
    case 'others':
      return null
    case 'values':
      return (
        <>
          {!isUsual && (
            <Field
              kind="values"
              field={split.field}
              take={(field) => choose({ by: 'values', field })}
            />
          )}
          <ValuePicker split={split} choose={choose} />
        </>
      )
    case 'ranges':
      return (
        <>
          <Field kind="numbers" field={split.field} take={(field) => choose({ ...split, field })} />
          <Typed
            label={`Cuts${inYears(split.field) ? ' in years' : ''}`}
            value={split.cuts.join(', ')}
            take={(text) => choose({ ...split, cuts: cutsOf(text) })}
          />
        </>
      )
    case 'quantiles':
      return (
        <>
          <Field kind="numbers" field={split.field} take={(field) => choose({ ...split, field })} />
          <Parts parts={split.parts} take={(parts) => choose({ ...split, parts })} />
        </>
      )
    case 'expression':
      return <ExpressionChoices split={split} choose={choose} />
    case 'burden':
      return (
        <PartsOrCuts
          label="or cuts of the number"
          parts={split.parts}
          cuts={split.cuts}
          take={(ranges) => choose({ by: 'burden', ...ranges })}
        />
      )
    case 'gene-set':
      return <GeneSetChoices split={split} choose={choose} />
    case 'mutated':
      return (
        <>
          <Typed
            label="Gene"
            value={split.gene}
            take={(gene) => choose({ by: 'mutated', gene: gene.trim() })}
          />
          <Typed
            label="Protein change (any if empty)"
            value={split.change ?? ''}
            take={(text) => {
              const change = text.trim().replace(/^p\./, '')
              choose({ by: 'mutated', gene: split.gene, ...(change !== '' && { change }) })
            }}
          />
        </>
      )
    case 'copies':
      return (
        <Typed
          label="Gene"
          value={split.gene}
          take={(gene) => choose({ ...split, gene: gene.trim() })}
        />
      )
  }
}

function ExpressionChoices({
  split,
  choose,
}: {
  readonly split: Extract<Split, { readonly by: 'expression' }>
  readonly choose: (next: Split) => void
}) {
  const { gene, parts, cuts } = split
  return (
    <>
      <Typed label="Gene" value={gene} take={(typed) => choose({ ...split, gene: typed.trim() })} />
      <PartsOrCuts
        label="or cuts of log2(uqfpkm + 1)"
        parts={parts}
        cuts={cuts}
        take={(ranges) => choose({ by: 'expression', gene, ...ranges })}
      />
    </>
  )
}

function GeneSetChoices({
  split,
  choose,
}: {
  readonly split: Extract<Split, { readonly by: 'gene-set' }>
  readonly choose: (next: Split) => void
}) {
  const { genes, set, parts, cuts } = split
  return (
    <>
      <GeneSetForm
        genes={genes}
        take={(chosen) => choose({ by: 'gene-set', ...chosen, parts, ...(cuts && { cuts }) })}
      />
      <PartsOrCuts
        label="or cuts of the mean of log2(uqfpkm + 1)"
        parts={parts}
        cuts={cuts}
        take={(ranges) => choose({ by: 'gene-set', genes, ...(set && { set }), ...ranges })}
      />
    </>
  )
}

interface PartsOrCutsProps {
  readonly label: string
  readonly parts: number
  readonly cuts: readonly number[] | undefined
  readonly take: (ranges: { readonly parts: number; readonly cuts?: readonly number[] }) => void
}

function PartsOrCuts({ label, parts, cuts, take }: PartsOrCutsProps) {
  return (
    <>
      <Parts parts={parts} take={(count) => take({ parts: count })} />
      <Typed
        label={label}
        value={cuts?.join(', ') ?? ''}
        take={(text) => {
          const typed = cutsOf(text)
          take({ parts, ...(typed.length > 0 && { cuts: typed }) })
        }}
      />
    </>
  )
}

interface FieldProps {
  readonly kind: 'values' | 'numbers'
  readonly field: string
  readonly take: (field: string) => void
}

/** Text field for the name of a field of cases, with the names that fit. */
function Field({ kind, field, take }: FieldProps) {
  const mapping = useAnswer<{ readonly _mapping: Readonly<Record<string, { type: string }>> }>(
    mappingRequest('cases'),
  )
  const types = Object.entries(mapping.data?._mapping ?? {})
  const names = types
    .map(([name, { type }]) => [name.replace(/^cases\./, ''), type] as const)
    .filter(([name, type]) => fieldKind(name, type) === kind && !name.startsWith('files.'))
  return (
    <>
      <Typed label="Field" value={field} list="group-fields" take={(text) => take(text.trim())} />
      <datalist id="group-fields">
        {names.map(([name]) => (
          <option key={name} value={name}>
            {fieldName(name)}
          </option>
        ))}
      </datalist>
    </>
  )
}

function Parts({
  parts,
  take,
}: {
  readonly parts: number
  readonly take: (parts: number) => void
}) {
  return (
    <label>
      Groups of equal size
      <select value={parts} onChange={(event) => take(Number(event.currentTarget.value))}>
        {PARTS.map(([count, name]) => (
          <option key={count} value={count}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
