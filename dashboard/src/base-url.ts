/** Where the app was loaded from. The built script is at `<base>/dashboard/assets/`, and a proxy may serve it below any path. */
const dashboardUrl = import.meta.env.DEV ? new URL('/', location.href) : new URL('..', import.meta.url);

/** The path of the dashboard, without a slash at its end. */
export const basePath = dashboardUrl.pathname.replace(/\/$/, '');

/** The address of the API. */
export const apiUrl = (import.meta.env.DEV ? dashboardUrl : new URL('..', dashboardUrl)).href.replace(/\/$/, '');
