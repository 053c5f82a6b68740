import { useEffect, useId, useState } from 'preact/hooks'
import { usePlace } from '../address/context.ts'
import { errorText } from '../parts/error-text.ts'
import { useService } from '../service/context.ts'
import type { Found, FoundPage } from './find.ts'

/** Milliseconds without typing after which a search is sent. */
const PAUSE = 150

/** State of a search for a text. */
interface Search {
  readonly text: string
  readonly found: readonly Found[]
  readonly error: string
}

const NO_SEARCH: Search = { text: '', found: [], error: '' }

/** One search for pages, cases, files, genes, variants and projects. */
export function SearchBox({ pages }: { readonly pages: readonly FoundPage[] }) {
  const { go } = usePlace()
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [at, setAt] = useState(0)
  /** Text for which Enter was pressed before its answer came. */
  const [awaited, setAwaited] = useState('')
  const id = useId()
  const { found, error, text: searched } = useSearch(text, pages)
  const isShown = isOpen && text.trim() !== ''
  const wanted = text.trim()
  const isDone = searched === wanted
  const choose = (one: Found | undefined) => {
    if (!one) return
    setText('')
    setOpen(false)
    go(one.to)
  }
  useEffect(() => {
    if (awaited === '' || !isDone) return
    setAwaited('')
    if (awaited === wanted) choose(found[0])
  }, [awaited, wanted, isDone])
  const step = (by: number) => {
    setOpen(true)
    setAt((now) => (found.length === 0 ? 0 : (now + by + found.length) % found.length))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') step(1)
    else if (event.key === 'ArrowUp') step(-1)
    else if (event.key === 'Escape') setOpen(false)
    else if (event.key === 'Enter' && isDone) choose(found[at])
    else if (event.key === 'Enter') setAwaited(wanted)
    else return
    event.preventDefault()
  }
  return (
    <search class="search-box">
      <input
        type="search"
        // biome-ignore lint/a11y/noRedundantRoles: without a datalist, only the role makes it one
        role="combobox"
        list={undefined}
        aria-label="Search for a case, file, gene, variant, project or page"
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isShown && found.length > 0 ? `${id}-${at}` : undefined}
        placeholder="Case, gene, file …"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setOpen(true)
          setAt(0)
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label="Found"
        hidden={!isShown || found.length === 0}
      >
        {found.map((one, place) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input takes the keys
          <div
            key={place}
            id={`${id}-${place}`}
            role="option"
            tabIndex={-1}
            aria-selected={place === at}
            // The input keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(one)}
          >
            <span class="kind">{one.kind}</span> {one.title} <span class="soft">{one.detail}</span>
          </div>
        ))}
      </div>
      {isShown && isDone && found.length === 0 && (
        <p class="none" role="alert">
          {error === '' ? 'Nothing has this name, id or barcode.' : error}
        </p>
      )}
    </search>
  )
}

/** Searches for a text once it is typed. The answer to the previous text stays until then. */
function useSearch(text: string, pages: readonly FoundPage[]): Search {
  const service = useService()
  const [search, setSearch] = useState<Search>(NO_SEARCH)
  const wanted = text.trim()
  useEffect(() => {
    if (wanted === '') {
      setSearch(NO_SEARCH)
      return
    }
    const leaving = new AbortController()
    const send = async () => {
      const { find } = await import('./find.ts')
      return find(service, pages, wanted, leaving.signal)
    }
    const later = setTimeout(() => {
      send().then(
        (found) => {
          if (!leaving.signal.aborted) setSearch({ text: wanted, found, error: '' })
        },
        (cause: unknown) => {
          if (leaving.signal.aborted) return
          setSearch({ text: wanted, found: [], error: errorText(cause) })
        },
      )
    }, PAUSE)
    return () => {
      clearTimeout(later)
      leaving.abort()
    }
  }, [wanted, service, pages])
  return search
}
