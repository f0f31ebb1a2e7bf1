/** A request without a key that holds room of others. */
export interface StrangerRequest {
  /** What it shares its room with: all callbacks, or all sign-ins. */
  use: string;
  /** The site of its client. A stranger with many networks of IPv6 has one site. */
  site: string;
  /** The bytes that it holds. */
  bytes: number;
  /** Whether its body still arrives. Only then it can be cut off. */
  isArriving: boolean;
  /** Whether its body has been arriving for long. */
  isSlow: boolean;
}

/**
 * Chooses the requests to cut off when a use has no room for so many more bytes of one request. First those of sites that hold more than
 * this one will, the largest site first. Then slow ones of the same site, and of sites that hold at least as much as this one does. So a
 * site with few requests finds room beside strangers, and none of them can displace it.
 *
 * @param requests the earliest first. They can contain the one that needs room.
 * @returns null if all of them together have fewer bytes.
 */
export function chooseCutOffs<Request extends StrangerRequest>(
  requests: Iterable<Request>,
  needing: StrangerRequest,
  bytes: number,
): Request[] | null {
  const ofUse = [...requests].filter(({ use }) => use === needing.use);
  const heldBy = new Map<string, number>();
  for (const each of ofUse) heldBy.set(each.site, held(each) + each.bytes);
  const own = held(needing);
  const arriving = ofUse.filter((each) => each.isArriving && each !== needing);
  const ofLarger = arriving.filter((each) => held(each) > own + bytes);
  const largestFirst = ofLarger.toSorted((left, right) => held(right) - held(left));
  const chosen = new Set<Request>();
  let room = 0;

  for (const each of largestFirst) if (held(each) > own + bytes) choose(each);
  for (const each of arriving) if (each.isSlow && (each.site === needing.site || held(each) >= own)) choose(each);
  return room >= bytes ? [...chosen] : null;

  /** Returns what the site of a request holds without those that were chosen. */
  function held({ site }: StrangerRequest): number {
    return heldBy.get(site) ?? 0;
  }

  function choose(each: Request): void {
    if (room >= bytes || chosen.has(each)) return;
    chosen.add(each);
    heldBy.set(each.site, held(each) - each.bytes);
    room += each.bytes;
  }
}
