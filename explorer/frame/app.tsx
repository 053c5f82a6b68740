import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type Address, formatAddress, parseAddress, withQuery } from '../address/address.ts'
import { type Place, PlaceContext } from '../address/context.ts'
import { ServiceContext } from '../service/context.ts'
import { keptCredentials } from '../service/kept-credentials.ts'
import { Service } from '../service/service.ts'
import { Header } from './header.tsx'
import { keepFocus } from './keep-focus.ts'
import { PageView } from './page-view.tsx'

/** Returns the page with the record that it is about. */
const subjectOf = ({ page, query }: Address) =>
  `${page} ${query.get(page === 'genes' ? 'gene' : 'id') ?? ''}`

/** The whole explorer. Its persistent state is the fragment of the URL. */
export function App() {
  const [address, setAddress] = useState(() => parseAddress(location.hash))
  const service = useMemo(() => new Service(keptCredentials()), [])
  const latest = useRef(address)
  useEffect(() => {
    const follow = () => {
      latest.current = parseAddress(location.hash)
      setAddress(latest.current)
    }
    addEventListener('hashchange', follow)
    addEventListener('popstate', follow)
    return () => {
      removeEventListener('hashchange', follow)
      removeEventListener('popstate', follow)
    }
  }, [])
  useEffect(() => {
    const root = document.querySelector<HTMLElement>('#app')
    return root ? keepFocus(root) : undefined
  }, [])
  const go = useCallback<Place['go']>((to, { replaces = false } = {}) => {
    const before = latest.current
    const next = to(before)
    if (next === before) return
    latest.current = next
    const fragment = formatAddress(next)
    if (replaces) history.replaceState(null, '', fragment)
    else history.pushState(null, '', fragment)
    setAddress(next)
    if (subjectOf(next) !== subjectOf(before)) scrollTo(0, 0)
  }, [])
  const place = useMemo<Place>(() => {
    const change: Place['change'] = (changes, step) =>
      go((now) => {
        if (now.page !== address.page) return now
        return withQuery(now, typeof changes === 'function' ? changes(now.query) : changes)
      }, step)
    return { address, go, change }
  }, [address, go])
  return (
    <ServiceContext.Provider value={service}>
      <PlaceContext.Provider value={place}>
        <Header />
        <PageView />
      </PlaceContext.Provider>
    </ServiceContext.Provider>
  )
}
