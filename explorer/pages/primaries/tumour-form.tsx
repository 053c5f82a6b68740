import { MEMBERS, type Tumour } from './tumours.ts'

interface TumourFormProps {
  readonly tumours: readonly Tumour[]
  /** Changes the tumours. `edit` receives the latest tumours, which may be newer than those on the page. */
  readonly change: (edit: (now: readonly Tumour[]) => readonly Tumour[]) => void
}

/** Maximum number of tumours, as the service allows. */
const MAX_TUMOURS = 100

/** Form with a line for each tumour of the patient. */
export function TumourForm({ tumours, change }: TumourFormProps) {
  const set = (index: number, key: string, value: string) =>
    change((now) =>
      now.map((tumour, place) => (place === index ? { ...tumour, [key]: value } : tumour)),
    )
  return (
    <form class="table" onSubmit={(event) => event.preventDefault()}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <section class="scrolls" tabIndex={0} aria-label="Tumours">
        <table>
          <thead>
            <tr>
              <th scope="col">Tumour</th>
              {MEMBERS.map(({ key, name }) => (
                <th key={key} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {tumours.map((tumour, index) => (
              <tr key={index}>
                <th scope="row">{index + 1}</th>
                {MEMBERS.map(({ key, name }) => (
                  <td key={key} data-title={name}>
                    <input
                      size={8}
                      aria-label={`${name} of tumour ${index + 1}`}
                      value={tumour[key] ?? ''}
                      onChange={(event) => set(index, key, event.currentTarget.value.trim())}
                    />
                  </td>
                ))}
                <td data-title="">
                  <button
                    type="button"
                    class="quiet"
                    onClick={() => change((now) => now.filter((_, place) => place !== index))}
                  >
                    Remove
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p class="actions">
        <button
          type="button"
          disabled={tumours.length >= MAX_TUMOURS}
          onClick={() => change((now) => [...now, {}])}
        >
          Add a tumour
        </button>
      </p>
    </form>
  )
}
