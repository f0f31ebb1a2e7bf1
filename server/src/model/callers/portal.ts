/** The parts of the portal that a session can use, in the order of the docs. */
export const portalFeatures = ['details', 'documents', 'applications', 'money', 'notice', 'pets'] as const;

export type PortalFeature = (typeof portalFeatures)[number];

/** The person behind a request in the portal. */
export interface Renter {
  sessionId: string;
  customerId: string;
  features: ReadonlySet<PortalFeature>;
  /** When the session ends at the latest, in seconds of real time. */
  lastsUntil: number;
}
