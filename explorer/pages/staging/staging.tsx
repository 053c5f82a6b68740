import type { Query, QueryChanges } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { Answered } from '../../parts/answered.tsx'
import { FoldedRequests } from '../../parts/figure.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import { Readings } from '../../parts/readings.tsx'
import { useService } from '../../service/context.ts'
import { useAnswer } from '../../service/use-answer.ts'
import { CaseForm } from './case-form.tsx'
import { Changes } from './changes.tsx'
import { EditForm } from './edit-form.tsx'
import { FileForm } from './file-form.tsx'
import { PathView } from './path-view.tsx'
import {
  type Inputs,
  lookupRequest,
  readInputs,
  type Schema,
  type SchemaEntry,
  type Staged,
  schemaRequest,
  stageRequest,
  type Version,
} from './staging-data.ts'
import { VersionForm } from './version-form.tsx'

/** Prefix of the URL parameters that hold inputs. */
const INPUT = 'in.'

/** Page that stages a case with a version of an algorithm, and shows the rows that led to the result. */
export function StagingPage() {
  const { address, change } = usePlace()
  const hasKey = useService().credentials.key !== ''
  if (!hasKey) {
    return <EmptyNote>Staging needs a registry key. Enter it under “Sign in”.</EmptyNote>
  }
  const algorithm = address.query.get('algorithm')
  const version = address.query.get('version')
  const choose = (chosen: Partial<Version>) =>
    change((now) => ({ ...withoutInputs(now), version: undefined, ...chosen }), { replaces: true })
  return (
    <>
      <VersionForm {...(algorithm && { algorithm })} {...(version && { version })} choose={choose}>
        {(chosen) => (
          <div key={`${chosen.algorithm} ${chosen.version}`}>
            <Case
              version={chosen}
              inputs={inputsIn(address.query)}
              change={(key, value) =>
                change({ ...chosen, [`${INPUT}${key}`]: value }, { replaces: true })
              }
            />
            <FileForm version={chosen} />
          </div>
        )}
      </VersionForm>
      <EditForm />
    </>
  )
}

const inputsIn = (query: Query): Inputs =>
  Object.fromEntries(
    [...query].flatMap(([name, value]) =>
      name.startsWith(INPUT) ? [[name.slice(INPUT.length), value]] : [],
    ),
  )

/** Returns changes that remove all inputs, because other versions have other inputs. */
const withoutInputs = (query: Query): QueryChanges =>
  Object.fromEntries(
    [...query.keys()].flatMap((name) => (name.startsWith(INPUT) ? [[name, undefined]] : [])),
  )

interface CaseProps {
  readonly version: Version
  readonly inputs: Inputs
  readonly change: (key: string, value: string) => void
}

function Case({ version, inputs: typed, change }: CaseProps) {
  const { codes: inputs, readings, questions } = readInputs(typed)
  const { site = '', hist = '' } = inputs
  const isNamed = site !== '' && hist !== '' && questions.length === 0
  const lookup = useAnswer<readonly SchemaEntry[]>(
    isNamed ? lookupRequest(version, inputs) : undefined,
  )
  const found = isNamed ? (lookup.data ?? []) : []
  const [only] = found
  const id = found.length === 1 ? only?.id : undefined
  const schema = useAnswer<Schema>(id === undefined ? undefined : schemaRequest(version, id))
  const request = id === undefined ? undefined : stageRequest(version, inputs)
  const staged = useAnswer<Staged>(request)
  // While another schema loads, `data` is still the previous one.
  const shown = schema.data?.id === id ? schema.data : undefined
  return (
    <>
      <CaseForm
        version={version}
        inputs={typed}
        schema={shown}
        candidates={found}
        change={change}
      />
      <Readings readings={readings} questions={questions} />
      {isNamed && lookup.error && <Answered answer={lookup}>{() => null}</Answered>}
      {isNamed && lookup.data?.length === 0 && (
        <EmptyNote>
          No schema in this version matches site {site} and histology {hist}. A site is C and three
          digits, such as C182; a histology has four digits, such as 8140.
        </EmptyNote>
      )}
      {found.length > 1 && (
        <EmptyNote>
          {found.length} schemas match: {found.map(({ title }) => title).join('; ')}. Fill in the
          inputs that decide.
        </EmptyNote>
      )}
      {id !== undefined && request && (
        <Answered answer={staged}>
          {(answer) => (
            <>
              <Outputs staged={answer} schema={shown} />
              <PathView version={version} steps={answer.explain ?? []} />
              {shown && (
                <Changes version={version} schema={shown} inputs={inputs} output={answer.output} />
              )}
              <FoldedRequests requests={[request]} />
            </>
          )}
        </Answered>
      )}
    </>
  )
}

interface OutputsProps {
  readonly staged: Staged
  readonly schema: Schema | undefined
}

function Outputs({ staged, schema }: OutputsProps) {
  const names = new Map(schema?.outputs?.map(({ key, name }) => [key, name]))
  return (
    <section>
      <h2>Result: {staged.result.toLowerCase().replaceAll('_', ' ')}</h2>
      <dl class="numbers outputs">
        {Object.entries(staged.output).map(([key, value]) => (
          <div key={key}>
            <dt>{names.get(key) ?? key}</dt>
            <dd>{value === '' ? '–' : value}</dd>
          </div>
        ))}
      </dl>
      {staged.errors.length > 0 && (
        <ul class="note error">
          {staged.errors.map(({ message }) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
      )}
    </section>
  )
}
