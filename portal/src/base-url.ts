/** Where the app was loaded from. The built script is at `<base>/portal/assets/`, and a proxy may serve it below any path. */
const portalUrl = import.meta.env.DEV ? new URL('/', location.href) : new URL('..', import.meta.url);

/** The path of the portal, without a slash at its end. */
export const basePath = portalUrl.pathname.replace(/\/$/, '');

/** The address of the API, without a slash at its end. */
export const apiUrl = (import.meta.env.DEV ? portalUrl : new URL('..', portalUrl)).href.replace(/\/$/, '');
