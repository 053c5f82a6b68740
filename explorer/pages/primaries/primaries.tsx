import { usePlace } from '../../address/context.ts'
import { Answered } from '../../parts/answered.tsx'
import { counted } from '../../parts/counted.ts'
import { FoldedRequests } from '../../parts/figure.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import { Readings } from '../../parts/readings.tsx'
import { useService } from '../../service/context.ts'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer } from '../../service/use-answer.ts'
import { PairView } from './pair-view.tsx'
import { TumourForm } from './tumour-form.tsx'
import { MEMBERS, readTumours, type Tumour, textOf, tumoursOf } from './tumours.ts'

/** Response for a patient. Tumours are identified by their index in the request. */
interface PatientAnswer {
  /** Tumours in date order. */
  readonly tumours: readonly {
    readonly input: number
    readonly group: number
    /** Why the tumour cannot be compared. */
    readonly invalid?: string
  }[]
  /** Matrix in the same order. */
  readonly matrix: readonly (readonly string[])[]
  readonly groups: readonly (readonly number[])[]
  readonly conflicts: readonly unknown[]
  readonly questionable: readonly unknown[]
}

const EXAMPLE: readonly Tumour[] = [
  {
    primary_site: 'C504',
    histology_icd_o3: '8500',
    behavior_icd_o3: '3',
    laterality: '1',
    date_of_diagnosis_year: '2019',
  },
  {
    primary_site: 'C501',
    histology_icd_o3: '8520',
    behavior_icd_o3: '3',
    laterality: '2',
    date_of_diagnosis_year: '2021',
  },
]

/** Page for the number of primaries of a patient's tumours: matrix, groups, and the rule for each pair. */
export function PrimariesPage() {
  const { address, change: changeQuery } = usePlace()
  const hasKey = useService().credentials.key !== ''
  const typed = tumoursOf(address.query.get('tumours') ?? '')
  const { tumours, readings, questions } = readTumours(typed)
  const change = (edit: (now: readonly Tumour[]) => readonly Tumour[]) =>
    changeQuery(
      (now) => {
        const next = edit(tumoursOf(now.get('tumours') ?? ''))
        return { tumours: textOf(next), pair: undefined }
      },
      { replaces: true },
    )
  const isComplete = tumours.length >= 2 && tumours.every(({ primary_site }) => primary_site)
  const request: ServiceRequest | undefined =
    hasKey && isComplete && questions.length === 0
      ? {
          path: '/rest/mph/patient',
          body: { tumours: tumours.map((tumour) => ({ ...tumour })) },
          credential: 'key',
        }
      : undefined
  const answer = useAnswer<PatientAnswer>(request)
  const [first, second] = (address.query.get('pair') ?? '').split(',').map(Number)
  const pair = [tumours[first ?? -1], tumours[second ?? -1]] as const
  if (!hasKey) {
    return <EmptyNote>Multiple primaries need a registry key. Enter it under “Sign in”.</EmptyNote>
  }
  return (
    <>
      <TumourForm tumours={typed} change={change} />
      <Readings readings={readings} questions={questions} />
      {tumours.length === 0 && (
        <button type="button" onClick={() => change(() => EXAMPLE)}>
          Fill in an example
        </button>
      )}
      {request && (
        <Answered answer={answer}>
          {(patient) => (
            <>
              <Matrix
                patient={patient}
                tumours={tumours}
                open={(one, other) => changeQuery({ pair: `${one},${other}` })}
              />
              {pair[0] && pair[1] && (
                <PairView
                  title={`Tumours ${(first ?? 0) + 1} and ${(second ?? 0) + 1}`}
                  pair={[pair[0], pair[1]]}
                />
              )}
              <FoldedRequests requests={[request]} />
            </>
          )}
        </Answered>
      )}
    </>
  )
}

interface MatrixProps {
  readonly patient: PatientAnswer
  readonly tumours: readonly Tumour[]
  readonly open: (one: number, other: number) => void
}

/** Short labels for the relation of two tumours. */
const SIGNS: Readonly<Record<string, string>> = {
  SINGLE_PRIMARY: 'same',
  MULTIPLE_PRIMARIES: 'other',
  QUESTIONABLE: 'open',
  INVALID_INPUT: 'invalid',
}

function Matrix({ patient, tumours, open }: MatrixProps) {
  const order = patient.tumours.map(({ input }) => input)
  const nameOf = (index: number) => {
    const { primary_site = '', histology_icd_o3 = '' } = tumours[index] ?? {}
    return `${index + 1}: ${primary_site} ${histology_icd_o3}`
  }
  const { conflicts } = patient
  const invalid = patient.tumours.filter((one) => one.invalid !== undefined)
  const isValid = (input: number) => invalid.every((one) => one.input !== input)
  // A tumour that cannot be compared forms a group of its own, which does not count as a primary.
  const groups = patient.groups
    .map((group) => group.filter(isValid))
    .filter((group) => group.length > 0)
  return (
    <section>
      <h2>
        {groups.length} {groups.length === 1 ? 'primary' : 'primaries'}
        {invalid.length > 0 && `, ${invalid.length} invalid and not counted`}
      </h2>
      {invalid.length > 0 && (
        <ul class="note error">
          {invalid.map(({ input, invalid: reason }) => (
            <li key={input}>
              Tumour {nameOf(input)} is invalid: {reason}
            </li>
          ))}
        </ul>
      )}
      <ol>
        {groups.map((group) => (
          <li key={group.join()}>{group.map(nameOf).join(', ')}</li>
        ))}
      </ol>
      {conflicts.length > 0 && (
        <p class="note error">
          {counted(conflicts.length, 'pair contradicts its', 'pairs contradict their')} group. Look
          at the rules there.
        </p>
      )}
      <p class="soft">Select a pair of tumours to see the rules that were applied.</p>
      <div class="scrolls">
        <table class="matrix" aria-label="Pairs of tumours">
          <thead>
            <tr>
              <td />
              {order.map((index) => (
                <th key={index} scope="col">
                  {nameOf(index)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {order.map((index, row) => (
              <tr key={index}>
                <th scope="row">{nameOf(index)}</th>
                {order.map((other, column) => {
                  const result = patient.matrix[row]?.[column] ?? ''
                  return (
                    <td key={other}>
                      {index === other ? (
                        '–'
                      ) : (
                        <button
                          type="button"
                          class={`pair ${result.toLowerCase()}`}
                          aria-label={`${SIGNS[result] ?? result}: ${nameOf(index)} and ${nameOf(other)}`}
                          onClick={() => open(index, other)}
                        >
                          {SIGNS[result] ?? result}
                        </button>
                      )}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="soft">Members of a tumour: {MEMBERS.map(({ key }) => key).join(', ')}.</p>
    </section>
  )
}
